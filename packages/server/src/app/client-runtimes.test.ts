import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HAS_BROWSER, startBrowser } from "../testing/browser.js";
import { openWireServer, type WireServer } from "../testing/wire-servers.js";

/**
 * The client's bundle in each runtime that has `fetch`: it submits a plan, runs it, follows its events and calls a
 * tool of LLMs.
 */
const CLIENT = fileURLToPath(import.meta.resolve("@steward/client"));
const SCRIPT = `async ({ createClient }, baseUrl) => {
  const { plans, tools } = createClient({ baseUrl });
  const { plan_id } = await plans.submit({ steps: [{ id: "a", query_template: "SELECT 1 AS n" }] });
  const { status } = await plans.run(plan_id);
  const types = [];
  for await (const { event_type } of plans.watch(plan_id)) types.push(event_type);
  const { content } = await tools.call("query", { sql: "SELECT 2 AS n" });
  return { status, last: types.at(-1), rows: content.rows };
}`;
const OUTCOME = { status: "completed", last: "PlanCompleted", rows: [{ n: 2 }] };

/** How each runtime other than Node and the browser runs a file. */
const RUNTIMES = [
  { name: "deno", args: ["run", "--quiet", "--allow-net=127.0.0.1"] },
  { name: "bun", args: ["run"] },
].map((runtime) => {
  const isHere = spawnSync(runtime.name, ["--version"]).status === 0;
  return { ...runtime, isHere, why: isHere ? "" : " (skipped: it is not on the PATH)" };
});

const folder = mkdtempSync(join(tmpdir(), "steward-bundle-"));
let server: WireServer;
beforeAll(async () => {
  server = await openWireServer({ tls: false, split: false });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Bundles the client for browsers. */
async function bundled(format: "esm" | "iife") {
  const build = await rolldown({ input: CLIENT, platform: "browser" });
  const { output } = await build.generate({ format, name: "stewardClient", minify: true });
  await build.close();
  return output[0];
}

describe("the client's bundle for browsers", () => {
  it("imports nothing and names nothing that only Node has", async () => {
    const { code, imports, dynamicImports } = await bundled("esm");
    expect([...imports, ...dynamicImports]).toEqual([]);
    const ofNode = /\b(node:\w+|process|Buffer|require|__dirname|setImmediate|global)\b/g;
    expect(code.match(ofNode) ?? []).toEqual([]);
    expect(code.length).toBeLessThan(40_000);
  });

  it.skipIf(!HAS_BROWSER)("works in a browser", async () => {
    const browser = await startBrowser();
    try {
      // The page's content security policy forbids all connections; a real console would allow them.
      const page = await (await browser.newContext({ bypassCSP: true })).newPage();
      await page.goto(`${server.url}/docs`);
      const { code } = await bundled("iife");
      const baseUrl = JSON.stringify(server.url);
      await page.addScriptTag({ content: code });
      expect(await page.evaluate(`(${SCRIPT})(stewardClient, ${baseUrl})`)).toEqual(OUTCOME);
    } finally {
      await browser.close();
    }
  });

  for (const { name, args, isHere, why } of RUNTIMES) {
    it.skipIf(!isHere)(`works in ${name}${why}`, async () => {
      const { code } = await bundled("esm");
      writeFileSync(join(folder, "client.mjs"), code);
      const baseUrl = JSON.stringify(server.url);
      const lines = [
        'import * as client from "./client.mjs";',
        `console.log(JSON.stringify(await (${SCRIPT})(client, ${baseUrl})));`,
      ];
      writeFileSync(join(folder, "main.mjs"), lines.join("\n"));
      const { stdout } = await promisify(execFile)(name, [...args, join(folder, "main.mjs")]);
      expect(JSON.parse(stdout)).toEqual(OUTCOME);
    });
  }
});
