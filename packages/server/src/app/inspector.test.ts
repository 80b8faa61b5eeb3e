import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWireServer, type WireServer } from "../testing/wire-servers.js";
import { EVERYTHING } from "../transport/mcp/testing/mcp-app.js";

/** The command line of the official Inspector, with a home folder of its own: it keeps its settings there. */
const require = createRequire(import.meta.url);
const INSPECTOR = join(
  require.resolve("@modelcontextprotocol/inspector/package.json"),
  "../clients/cli/build/index.js",
);

const home = mkdtempSync(join(tmpdir(), "steward-inspector-"));
let server: WireServer;
beforeAll(async () => {
  server = await openWireServer({ tls: false, split: false });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

/** Runs a method. @returns its result, and what the Inspector remarks. */
async function inspect<Result>(
  ...method: readonly string[]
): Promise<{ readonly result: Result; readonly remarks: string }> {
  const args = [
    INSPECTOR,
    `${server.url}/mcp${EVERYTHING}`,
    "--transport",
    "http",
    "--method",
    ...method,
  ];
  const env = { ...process.env, HOME: home };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env });
  // The caller knows the type of the method's result.
  return { result: JSON.parse(stdout) as Result, remarks: stderr };
}

/** The Inspector loads for seconds, and longer where other tests run beside it. */
const TIMEOUT_MS = 60_000;

describe.concurrent("the command line of the MCP Inspector", { timeout: TIMEOUT_MS }, () => {
  it("lists the tools, and finds no error in their schemas", async () => {
    const { result, remarks } = await inspect<{ tools: readonly { name: string }[] }>(
      ...["tools/list", "--strict"],
    );
    expect(result.tools.map(({ name }) => name)).toContain("query");
    expect(remarks).toContain("0 errors");
  });

  it("calls a tool", async () => {
    const sql = "sql=SELECT 1 AS n";
    const { result } = await inspect<{ structuredContent: object }>(
      ...["tools/call", "--tool-name", "query", "--tool-arg", sql],
    );
    expect(result.structuredContent).toMatchObject({ status: "completed", rows: [{ n: 1 }] });
  });
});
