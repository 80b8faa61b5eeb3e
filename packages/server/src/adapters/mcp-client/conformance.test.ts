import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { actAsClient, type ScenarioRequest } from "./testing/conformance-client.js";

/** The official suite starts a server for each scenario, and a program that tells the client of it. */
const SUITE = join(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json"),
  "../dist/index.js",
);
const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Has the suite run on the oldest Node that Steward runs on. */
const ON_NODE_20 = fileOf("../../transport/mcp/testing/suite-on-node-20.js");
const RELAY = fileOf("testing/conformance-relay.js");
/** Clients wait for each other, because the suite starts all scenarios of a revision at once. In ms. */
const CLIENT_MS_MAX = 200_000;

/** The revision whose required scenarios are all run. */
const REVISION = "2026-07-28";
/**
 * `sep-2322-client-request-state` is passed only by a client that accepts in the name of a person:
 * it sends the call again with an answer. A step declines, because it has nobody to ask. The others
 * are extensions that the client does not have.
 */
const NOT_PASSED = [
  "auth/dpop",
  "auth/dpop-nonce",
  "auth/enterprise-managed-authorization",
  "auth/wif-jwt-bearer",
  "sep-2322-client-request-state",
];

/** What the suite asks of clients in other revisions alone. */
const OF_OTHER_REVISIONS = [
  ["2025-11-25", "initialize", "is passed"],
  ["2025-11-25", "sse-retry", "is passed"],
  // It accepts a form with its defaults, in the name of a person.
  ["2025-11-25", "elicitation-sep1034-client-defaults", "is not passed"],
  ["2025-03-26", "auth/2025-03-26-oauth-metadata-backcompat", "is passed"],
  ["2025-03-26", "auth/2025-03-26-oauth-endpoint-fallback", "is passed"],
] as const;

const directory = mkdtempSync(join(tmpdir(), "steward-mcp-client-conformance-"));
let turn = Promise.resolve();
const relayed = createServer((request, response) => {
  turn = turn.then(() => answer(request, response));
});
let client: string;
beforeAll(async () => {
  await once(relayed.listen(0, "127.0.0.1"), "listening");
  client = `http://127.0.0.1:${String((relayed.address() as AddressInfo).port)}`;
});
afterAll(() => {
  relayed.closeAllConnections();
  relayed.close();
  rmSync(directory, { recursive: true });
});

it("passes what a revision asks of clients, but what asks a person", async () => {
  const { output } = await runSuite(["--requirements", REVISION]);
  const [, summary = ""] = output.split("=== SUITE SUMMARY ===");
  const failed = [...summary.matchAll(/^✗ ([^:]+): /gm)].map(([, name]) => name);
  expect(failed.toSorted(), output).toEqual(NOT_PASSED);
  expect(summary.match(/^✓ /gm)?.length).toBeGreaterThanOrEqual(33);
}, 300_000);

it.each(OF_OTHER_REVISIONS)(
  "in %s, %s %s",
  async (revision, scenario, result) => {
    const { code, output } = await runSuite([
      ...["--scenario", scenario],
      ...["--spec-version", revision],
    ]);
    // The suite ends well too when it skips a scenario, so that its last line counts.
    const isPassed = code === 0 && output.includes("OVERALL: PASSED");
    expect(isPassed, output).toBe(result === "is passed");
  },
  60_000,
);

async function runSuite(
  args: readonly string[],
): Promise<{ readonly code: unknown; readonly output: string }> {
  const suite = ["--import", ON_NODE_20, SUITE, "client", "--timeout", String(CLIENT_MS_MAX)];
  const command = `${process.execPath} ${RELAY}`;
  const child = spawn(process.execPath, [...suite, "--command", command, ...args], {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, STEWARD_SUITE_CLIENT: client },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => (output += String(chunk)));
  }
  const [code] = (await once(child, "close")) as readonly unknown[];
  return { code, output };
}

/** Acts as a scenario's client. The answer to its relay tells whether the client gave up. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await actAsClient(JSON.parse(await text(request)) as ScenarioRequest);
    response.end();
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}
