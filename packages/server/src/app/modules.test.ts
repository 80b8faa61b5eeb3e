import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { BIN } from "../cli/testing/steward-process.js";
import { loadedModules, unbundled } from "../testing/loaded-modules.js";

const directory = mkdtempSync(join(tmpdir(), "steward-app-modules-"));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Starts an app and closes it. */
const program = (
  port: string,
): string => `import { openApp } from ${JSON.stringify(new URL("../index.js", import.meta.url).href)};
  const dataDir = import.meta.dirname;
  const app = await openApp({
    port: ${port},
    logLevel: "silent",
    dataDir,
    databaseUrl: \`sqlite:\${dataDir}/store.db\`,
    dataSources: [{ name: "shop", url: \`sqlite:\${dataDir}/shop.db\` }],
  });
  await app[Symbol.asyncDispose]();`;

/** Modules, threads included, that an app on SQLite loads that does not listen: 1152 when this was written. */
const APP_MODULES_MAX = 1180;

describe("what is loaded at the start", () => {
  it("of a server on SQLite is nothing of PostgreSQL's, of tokens or of payments", () => {
    writeFileSync(join(directory, "shop.db"), "");
    writeFileSync(join(directory, "start.mjs"), program("0"));
    const modules = loadedModules([join(directory, "start.mjs")]);
    expect(modules.some((url) => url.endsWith("/storage/sqlite/store.js"))).toBe(true);
    const needless =
      /\/(storage|adapters)\/[a-z/-]*(postgres|jwt|stripe)[a-z-]*\/|node_modules\/(pg|jose|stripe|libpg-query)\//;
    expect(modules.filter((url) => needless.test(url))).toEqual([]);
  });

  it("of an app that does not listen is nothing of a wire, and of the console", () => {
    writeFileSync(join(directory, "shop.db"), "");
    writeFileSync(join(directory, "embed.mjs"), program("false"));
    const modules = loadedModules([join(directory, "embed.mjs")]);
    expect(modules.some((url) => url.endsWith("/transport/in-process/program-plans.js"))).toBe(
      true,
    );
    const needless =
      /\/transport\/(grpc|http2|mcp|one-port|console|rest\/(?!plans\/plan-|validation\/|json-bounds|path-text))|packages\/protocol\/dist\/gen\/|packages\/operations\/dist\/(?!(plans\/[a-z-]+|operation|page)\.js)|node_modules\/(fastify|@fastify|@grpc|@bufbuild|openid-client|fastify-type-provider-zod|@modelcontextprotocol\/server)\//;
    expect(modules.filter((url) => needless.test(url))).toEqual([]);
    // A program loads them at each start. Look at what was added before you raise the number.
    expect(new Set(modules).size).toBeLessThan(APP_MODULES_MAX);
  });

  it("of what compares the schema before and after a statement is nothing of migrations or the state", () => {
    const watch = new URL("../adapters/sql-target-sqlite/child/schema-watch.js", import.meta.url);
    const modules = loadedModules([fileURLToPath(watch)]);
    expect(modules.some((url) => url.endsWith("/changes/table-deltas.js"))).toBe(true);
    const needless =
      /packages\/state\/|\/(plans|migrations|scripts|tracking|wanted|lint)\/|\/schema\/dist\/index\./;
    expect(modules.filter((url) => needless.test(url))).toEqual([]);
  });

  it("of a command is nothing of other commands, nor of the server", () => {
    const modules = unbundled(loadedModules([BIN, "plan", "--help"]));
    expect(modules.some((url) => url.endsWith("/server/src/cli/plan/index.ts"))).toBe(true);
    // A limits.ts has numbers only.
    const needless =
      /^(?!.*\/limits\.ts$).*(?:server\/src\/(cli\/)?(state|schema|storage|adapters|memory|billing|app)[/.]|packages\/(state|schema)\/|node_modules\/zod\/)/;
    expect(modules.filter((url) => needless.test(url))).toEqual([]);
  });
});
