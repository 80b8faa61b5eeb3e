import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRestServer, type TestRestServer } from "../rest/testing/rest-server.js";
import { fixtureServer } from "./testing/fixture-server.js";

const require = createRequire(import.meta.url);
const SUITE = join(
  require.resolve("@modelcontextprotocol/conformance/package.json"),
  "../dist/index.js",
);
/** Has the suite run on the oldest Node that Steward runs on. */
const ON_NODE_20 = fileURLToPath(new URL("testing/suite-on-node-20.js", import.meta.url));

/** What 2026-07-28 does not score: extensions, and what the suite's own fixture does not pass. */
const NOT_SCORED = /^(tasks-.*|json-schema-2020-12|http-custom-header-server-validation)$/;

/**
 * What 2025-11-25 asks for and a server without sessions does not have: requests of its own to the client, and
 * subscriptions to resources.
 */
const NEED_SESSIONS = [
  "tools-call-sampling",
  "tools-call-elicitation",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums",
  "resources-subscribe",
  "resources-unsubscribe",
];

/** The suite waits between some of its requests. */

const directory = mkdtempSync(join(tmpdir(), "steward-mcp-conformance-"));
let server: TestRestServer;
beforeAll(async () => {
  server = await startRestServer({ mcp: fixtureServer });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

describe.concurrent("the official conformance suite of MCP", () => {
  it("finds nothing wrong with a server of 2026-07-28 behind /mcp", async () => {
    const { passed, failed } = await runSuite("2026-07-28");
    expect(failed.filter((name) => !NOT_SCORED.test(name))).toEqual([]);
    expect(passed.length).toBeGreaterThanOrEqual(37);
  });

  it("finds nothing wrong with one of 2025-11-25 but what needs sessions", async () => {
    const { passed, failed } = await runSuite("2025-11-25");
    expect(failed.filter((name) => !NOT_SCORED.test(name))).toEqual(NEED_SESSIONS);
    expect(passed.length).toBeGreaterThanOrEqual(24);
  });
});

/** Runs what a revision requires. @returns the names of the scenarios. */
async function runSuite(
  revision: string,
): Promise<{ readonly passed: readonly string[]; readonly failed: readonly string[] }> {
  const args = [
    "--import",
    ON_NODE_20,
    SUITE,
    "server",
    "--url",
    `${server.url}/mcp`,
    "--requirements",
    revision,
  ];
  const child = spawn(process.execPath, args, { cwd: directory });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  await once(child, "close");
  const [, summary = ""] = output.split("=== SUMMARY ===");
  const named = (sign: string): readonly string[] =>
    [...summary.matchAll(new RegExp(`^${sign} ([^:]+): `, "gm"))].map(([, name = ""]) => name);
  return { passed: named("✓"), failed: named("✗") };
}
