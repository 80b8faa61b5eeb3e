import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundledClient, CLIENT_OUTCOME, CLIENT_SCRIPT } from "../testing/client-bundle.js";
import { openWireServer, type WireServer } from "../testing/wire-servers.js";

/** How each runtime runs a file; browser.test.ts tries the browser. */
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

describe("the client's bundle for browsers", () => {
  it("imports nothing and names nothing that only Node has", async () => {
    const { code, imports, dynamicImports } = await bundledClient("esm");
    expect([...imports, ...dynamicImports]).toEqual([]);
    const ofNode = /\b(node:\w+|process|Buffer|require|__dirname|setImmediate|global)\b/g;
    expect(code.match(ofNode) ?? []).toEqual([]);
    expect(code.length).toBeLessThan(40_000);
  });

  for (const { name, args, isHere, why } of RUNTIMES) {
    it.skipIf(!isHere)(`works in ${name}${why}`, async () => {
      const { code } = await bundledClient("esm");
      writeFileSync(join(folder, "client.mjs"), code);
      const baseUrl = JSON.stringify(server.url);
      const lines = [
        'import * as client from "./client.mjs";',
        `console.log(JSON.stringify(await (${CLIENT_SCRIPT})(client, ${baseUrl})));`,
      ];
      writeFileSync(join(folder, "main.mjs"), lines.join("\n"));
      const { stdout } = await promisify(execFile)(name, [...args, join(folder, "main.mjs")]);
      expect(JSON.parse(stdout)).toEqual(CLIENT_OUTCOME);
    });
  }
});
