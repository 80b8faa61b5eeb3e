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

/** What the suite asks of clients, without OAuth: the credential of a server is a header. */
const PASSED = [
  ["2026-07-28", "tools_call"],
  ["2026-07-28", "request-metadata"],
  ["2026-07-28", "http-standard-headers"],
  ["2026-07-28", "http-custom-headers"],
  ["2026-07-28", "http-invalid-tool-headers"],
  ["2026-07-28", "json-schema-ref-no-deref"],
  ["2026-07-28", "json-schema-2020-12-preservation"],
  ["2025-11-25", "initialize"],
  ["2025-11-25", "sse-retry"],
] as const;

/** A tool that asks for input during a call is refused, because a step has nobody to ask. */
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
  const codes = new Map<string, unknown>();
  // Two at a time: each is two processes.
  const next = scenarios.values();
  const work = async (): Promise<void> => {
    for (const [revision, scenario] of next) {
      codes.set(`${revision} ${scenario}`, await exitCodeOf(scenario, revision));
    }
  };
  await Promise.all([work(), work()]);
  const failed = [...codes].filter(([, code]) => code !== 0).map(([name]) => name);
  expect(failed.toSorted()).toEqual(NEED_SOMEBODY_TO_ASK.map((each) => each.join(" ")).toSorted());
}, 120_000);

async function exitCodeOf(scenario: string, revision: string): Promise<unknown> {
  const client = `${process.execPath} ${CLIENT}`;
  const args = ["client", "--command", client, "--scenario", scenario, "--spec-version", revision];
  const suite = ["--import", ON_NODE_20, SUITE, ...args];
  const child = spawn(process.execPath, suite, { cwd: directory, stdio: "ignore" });
  const [code] = (await once(child, "close")) as readonly unknown[];
  return code;
}
