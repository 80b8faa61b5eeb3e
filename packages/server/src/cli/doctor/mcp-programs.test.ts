import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { runHere } from "../testing/run-here.js";
import { startSteward } from "../testing/steward-process.js";

const cwd = mkdtempSync(join(tmpdir(), "steward-programs-"));
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

/** A script that is an MCP server with many tools, and none that is called `find`. */
const require = createRequire(import.meta.url);
const EVERYTHING = require.resolve("@modelcontextprotocol/server-everything/package.json");
const ANSWERS = `await import(${JSON.stringify(pathToFileURL(join(dirname(EVERYTHING), "dist/index.js")).href)})`;
/** A script that never answers. */
const WAITS = "setInterval(() => undefined, 1000)";

const pidFile = (name: string): string => join(cwd, `${name}.pid`);

/** Settings with MCP servers on stdio, each a script that first writes down its process. */
function programs(scripts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(scripts).map(([name, script]) => {
    const file = join(cwd, `${name}.mjs`);
    const pid = `writeFileSync(${JSON.stringify(pidFile(name))}, String(process.pid))`;
    writeFileSync(
      file,
      `import { writeFileSync } from "node:fs"; ${pid}; console.error("hidden"); ${script};`,
    );
    const command = script === "" ? "./no-such-program" : process.execPath;
    return `  - name: ${name}
    command: ${command}
    args: ${JSON.stringify([file])}
    env: { KEY: hidden }
    tools: [{ name: find, intent: read_select }]
`;
  });
  const tools = join(mkdtempSync(join(cwd, "tools-")), "tools.yaml");
  writeFileSync(tools, `mcp_servers:\n${entries.join("")}`, { mode: 0o600 });
  return {
    ...{ SERVICE_DATABASE_URL: "sqlite:store.db", SERVICE_PORT: "0" },
    SERVICE_TOOLS_FILE: tools,
  };
}

function isRunning(name: string): boolean {
  try {
    return process.kill(Number(readFileSync(pidFile(name), "utf8")), 0);
  } catch {
    return false;
  }
}

describe("the check of MCP servers on stdio", () => {
  it("says which program fails, how, and what to do", async () => {
    const env = programs({ gone: "", ends: "process.exit(3)", other: ANSWERS });
    await using server = startSteward(["serve"], { cwd, env });
    const logged = await server.said("stderr", /MCP server other[^]*\n/);
    const { stdout } = await runHere(["doctor"], {
      cwd,
      env: { ...env, SERVICE_DATABASE_URL: "sqlite:other.db", SERVICE_DATA_DIR: "other" },
    });
    for (const text of [logged, stdout]) {
      expect(text).toMatch(/MCP server gone[^]*the program \.\/no-such-program: .*was not found/);
      expect(text).toMatch(/MCP server ends[^]*the program \S*node: the connection broke/);
      expect(text).toMatch(/MCP server other[^]*\S*node answers, and has no tool mcp:other\/find/);
      expect(text).toMatch(/command, args or env in the tools file \(SERVICE_TOOLS_FILE\)/);
      expect(text).not.toContain("hidden");
    }
  }, 60_000);

  it("ends each program, also one that does not answer in time", async () => {
    const env = programs({ good: ANSWERS, silent: WAITS });
    const { stdout } = await runHere(["doctor"], { cwd, env });
    expect(stdout).toMatch(/MCP server good[^]*node answers, and has no tool/);
    expect(stdout).toMatch(/MCP server silent[^]*node: it took too long/);
    expect(readFileSync(pidFile("silent"), "utf8")).toMatch(/^\d+$/);
    expect(["good", "silent"].filter(isRunning)).toEqual([]);
  }, 60_000);
});
