import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";

/** The official suite starts a server for each scenario, and the client that steps use against it. */
const SUITE = join(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json"),
  "../dist/index.js",
);
const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Has the suite run on the oldest Node that Steward runs on. */
const ON_NODE_20 = fileOf("../../transport/mcp/testing/suite-on-node-20.js");
const CLIENT = fileOf("testing/conformance-client.js");

const AUTH = [
  ...["metadata-default", "metadata-var1", "metadata-var2", "metadata-var3", "basic-cimd"],
  ...["scope-from-www-authenticate", "scope-from-scopes-supported", "scope-omitted-when-undefined"],
  ...["scope-step-up", "scope-retry-limit", "pre-registration", "resource-mismatch"],
  ...["token-endpoint-auth-basic", "token-endpoint-auth-post", "token-endpoint-auth-none"],
  ...["offline-access-scope", "offline-access-not-supported", "authorization-server-migration"],
  ...["iss-supported", "iss-not-advertised", "iss-supported-missing", "iss-wrong-issuer"],
  ...["iss-unexpected", "iss-normalized", "metadata-issuer-mismatch"],
];

/** What the suite asks of clients. Extensions have no revision. */
const PASSED: readonly (readonly [revision: string | undefined, scenario: string])[] = [
  ["2026-07-28", "tools_call"],
  ["2026-07-28", "request-metadata"],
  ["2026-07-28", "http-standard-headers"],
  ["2026-07-28", "http-custom-headers"],
  ["2026-07-28", "http-invalid-tool-headers"],
  ["2026-07-28", "json-schema-ref-no-deref"],
  ["2026-07-28", "json-schema-2020-12-preservation"],
  ["2025-11-25", "initialize"],
  ["2025-11-25", "sse-retry"],
  ...AUTH.map((name) => ["2026-07-28", `auth/${name}`] as const),
  ["2025-03-26", "auth/2025-03-26-oauth-metadata-backcompat"],
  ["2025-03-26", "auth/2025-03-26-oauth-endpoint-fallback"],
  [undefined, "auth/client-credentials-jwt"],
  [undefined, "auth/client-credentials-basic"],
];

/**
 * Both are passed only by a client that accepts in the name of a person: the first sends the call
 * again with an answer, the second accepts a form with its defaults. A step declines, because it has
 * nobody to ask.
 */
const NEED_SOMEBODY_TO_ASK = [
  ["2026-07-28", "sep-2322-client-request-state"],
  ["2025-11-25", "elicitation-sep1034-client-defaults"],
] as const;

const directory = mkdtempSync(join(tmpdir(), "steward-mcp-client-conformance-"));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

it("passes the client scenarios of the official suite but those that ask a person", async () => {
  const scenarios = [...PASSED, ...NEED_SOMEBODY_TO_ASK];
  const failed: string[] = [];
  // Two at a time: each is two processes.
  const next = scenarios.values();
  const work = async (): Promise<void> => {
    for (const [revision, scenario] of next) {
      if (!(await isPassed(scenario, revision))) failed.push(`${String(revision)} ${scenario}`);
    }
  };
  await Promise.all([work(), work()]);
  expect(failed.toSorted()).toEqual(NEED_SOMEBODY_TO_ASK.map((each) => each.join(" ")).toSorted());
}, 300_000);

/** The suite ends well too when it skips a scenario, so that its last line counts. */
async function isPassed(scenario: string, revision: string | undefined): Promise<boolean> {
  const client = `${process.execPath} ${CLIENT}`;
  const args = ["client", "--command", client, "--scenario", scenario];
  if (revision !== undefined) args.push("--spec-version", revision);
  const suite = ["--import", ON_NODE_20, SUITE, ...args];
  const child = spawn(process.execPath, suite, {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => (output += String(chunk)));
  }
  const [code] = (await once(child, "close")) as readonly unknown[];
  return code === 0 && output.includes("OVERALL: PASSED");
}
