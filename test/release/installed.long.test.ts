import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { arch, platform, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { firstPlan, run, timed } from "./first-plan.js";
import { LocalRegistry } from "./local-registry.js";
import { ROOT } from "./packed.js";

const folder = mkdtempSync(join(tmpdir(), "steward-installed-"));
const settings = join(folder, ".npmrc");
const registry = await LocalRegistry.start();
writeFileSync(settings, registry.settings);
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Packages, and megabytes of files, that npm installs with the server, itself included. */
const INSTALLED_MAX = { packages: 90, megabytes: 90 };

describe("a release", () => {
  it("publishes each package after those that it depends on, and once", async () => {
    await releaseTo("first");
    const published = [...registry.published];
    expect(published.at(-1)).toMatch(/^@steward\/schema-/);
    expect(published).toHaveLength(9);
    await releaseTo("second");
    expect(registry.published).toEqual(published);
  });

  it.each(["present", "22", "24"])("is installed by npm and runs on Node %s", async (version) => {
    const project = projectFor(`npm-on-node-${version}`);
    const node = await nodeOf(version);
    const downloaded = await timed(() => runNpm(["install", "@steward/server"], project, node));
    const { packages, megabytes } = weightOf(join(project, "node_modules"));
    expect(packages).toBeLessThanOrEqual(INSTALLED_MAX.packages);
    expect(megabytes).toBeLessThanOrEqual(INSTALLED_MAX.megabytes);
    const ready = await firstPlan(node, serverIn(project), project);
    report(`npm, Node ${version}`, { packages, megabytes, downloaded, ready });
  });

  it.each(["pnpm", "yarn"])("is installed by %s", async (manager) => {
    const project = projectFor(manager);
    const tool = await programOf(manager, manager === "yarn" ? "bin/yarn.js" : "bin/pnpm.mjs");
    const install = [process.execPath, tool, "add", "@steward/server"];
    const downloaded = await timed(() => runManager(install, project));
    const { packages, megabytes } = weightOf(join(project, "node_modules"));
    const ready = await firstPlan(process.execPath, serverIn(project), project);
    report(manager, { packages, megabytes, downloaded, ready });
  });

  it("starts with npx in an empty folder", async () => {
    const project = projectFor("npx");
    const started = await timed(() =>
      runManager(["npx", "--yes", "@steward/server", "--version"], project),
    );
    expect(readdirSync(project)).toEqual([".npmrc"]);
    report("npx, from nothing to the version", { started });
  });

  it("is embedded by a program, with types", async () => {
    const project = projectFor("embedded");
    const typescript = ["typescript@6", "@types/node@20"];
    await runNpm(["install", "@steward/server", "@steward/client", ...typescript], project);
    writeFileSync(join(project, "embedded.mts"), EMBEDDING);
    writeFileSync(join(project, "shop.db"), "");
    const options = ["--target", "es2023", "--lib", "es2023,esnext.disposable"];
    const tsc = ["npx", "tsc", "--strict", ...options, "--module", "nodenext", "--types", "node"];
    await runManager([...tsc, "embedded.mts"], project);
    expect(await run([process.execPath, "embedded.mjs"], project)).toBe('[{"n":1}] true\n');
  });
});

/** Runs a step, and fails once as a client of the same package fails. */
const EMBEDDING = `
import { StewardError } from "@steward/client";
import { openApp } from "@steward/server";
await using app = await openApp({
  port: false,
  dataDir: \`\${import.meta.dirname}/data\`,
  databaseUrl: \`sqlite:\${import.meta.dirname}/data/store.db\`,
  dataSources: [{ name: "memory", url: \`sqlite:\${import.meta.dirname}/shop.db\` }],
  organization: "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11",
  logLevel: "warn",
});
const { plans } = app.as({ userId: "ada", role: "agent" });
const { plan_id } = await plans.submit({
  name: "Count",
  steps: [{ id: "n", query_template: "SELECT 1 AS n" }],
});
const { llm_context_update } = await plans.execute(plan_id, "n");
const error: unknown = await plans.execute(plan_id, "other").catch((reason: unknown) => reason);
console.log(llm_context_update.tool_output_json, error instanceof StewardError);
`;

async function releaseTo(name: string): Promise<void> {
  // Another process publishes, while this one is the registry.
  await runManager([process.execPath, "scripts/release.js", "publish", join(folder, name)], ROOT);
}

/** An empty folder whose packages of `@steward` come from the registry of the test. */
function projectFor(name: string): string {
  const project = join(folder, name);
  mkdirSync(project);
  writeFileSync(join(project, ".npmrc"), registry.settings);
  return project;
}

/** Node of a version, as npm's package of it for this platform; `present` is the one that runs the tests. */
async function nodeOf(version: string): Promise<string> {
  if (version === "present") return process.execPath;
  return programOf(`node-${platform()}-${arch()}@${version}`, "bin/node");
}

/** Installs a package into a folder of its own. @returns the path of one of its files. */
async function programOf(wanted: string, file: string): Promise<string> {
  const tool = join(folder, "tools", wanted);
  mkdirSync(tool, { recursive: true });
  await runNpm(["install", wanted], tool);
  return join(tool, "node_modules", wanted.replace(/@.*$/, ""), file);
}

function serverIn(project: string): string {
  return join(project, "node_modules/@steward/server");
}

/** Has npm run on a version of Node. */
function runNpm(args: readonly string[], cwd: string, node = process.execPath): Promise<string> {
  const npm = execFileSync("npm", ["root", "--global"], { encoding: "utf8" }).trim();
  return runManager(
    [node, join(npm, "npm/bin/npm-cli.js"), ...args, "--no-audit", "--no-fund"],
    cwd,
  );
}

/** Runs a package manager, or what it has installed, with a cache that is empty at first. */
function runManager(command: readonly string[], cwd: string): Promise<string> {
  // Without what npm tells its scripts, which another npm would take for its own settings.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?!config_registry$)/i.test(name),
  );
  return run(command, cwd, {
    ...Object.fromEntries(own),
    ...{ npm_config_userconfig: settings, npm_config_cache: join(folder, "npm-cache") },
    PATH: `${dirname(command[0] ?? "")}${delimiter}${process.env["PATH"] ?? ""}`,
  });
}

function weightOf(modules: string): { readonly packages: number; readonly megabytes: number } {
  const files = readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const roots = files.filter((file) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file));
  return { packages: roots.length, megabytes: Math.round(bytes / 1e5) / 10 };
}

/** Says what was measured, in seconds and megabytes; nothing is asserted by it. */
function report(what: string, measured: Readonly<Record<string, number>>): void {
  process.stdout.write(`${what}: ${JSON.stringify(measured)}\n`);
}
