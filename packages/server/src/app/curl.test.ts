import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWireServer, WIRES, type WireServer } from "../testing/wire-servers.js";

const run = promisify(execFile);

/** Debian's package `curl`; without it, or without HTTP/2 in it, these tests are skipped. */
const version = spawnSync("curl", ["--version"], { encoding: "utf8" });
const hasCurl = version.status === 0 && / HTTP2\b/.test(version.stdout);
const whySkipped = hasCurl ? "" : " (skipped: this machine has no curl that speaks HTTP/2)";

/** curl's version flags, with the version it then uses without and with TLS. */
const FLAGS = [
  { flags: [], plain: "1.1", tls: "2" },
  { flags: ["--http1.1"], plain: "1.1", tls: "1.1" },
  { flags: ["--http2"], plain: "1.1", tls: "2" },
  { flags: ["--http2-prior-knowledge"], plain: "2", tls: "2" },
] as const;

/** The body, status and protocol version of the answer. */
async function curl(...args: readonly string[]): Promise<readonly [string, string, string]> {
  const format = ["-w", "\n%{http_code} %{http_version}"];
  const { stdout } = await run("curl", ["-sk", "--max-time", "20", ...format, ...args]);
  const end = stdout.lastIndexOf("\n");
  const [status = "", httpVersion = ""] = stdout.slice(end + 1).split(" ");
  return [stdout.slice(0, end), status, httpVersion];
}

const PLAN = JSON.stringify({ steps: [{ id: "a", query_template: "SELECT 1 AS n" }] });

describe.skipIf(!hasCurl).each(WIRES)(`curl${whySkipped}, TLS $tls, gRPC apart $split`, (wire) => {
  let server: WireServer;
  beforeAll(async () => {
    server = await openWireServer(wire);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it.each(FLAGS)(
    "submits, executes and follows a plan with $flags",
    async ({ flags, ...spoken }) => {
      const httpVersion = wire.tls ? spoken.tls : spoken.plain;
      const ask = (path: string, ...args: readonly string[]): ReturnType<typeof curl> =>
        curl(...flags, ...args, `${server.url}${path}`);
      const post = ["-H", "content-type: application/json", "-d", PLAN];
      const [created, status, ...spokenNow] = await ask("/api/plans", ...post);
      expect([status, ...spokenNow]).toEqual(["201", httpVersion]);
      const { data } = JSON.parse(created) as { data: { plan_id: string } };
      const path = `/api/plans/${data.plan_id}`;
      const following = ask(`${path}/events`, "-N");
      const [executed] = await ask(`${path}/steps/a/execute`, "-X", "POST");
      expect(JSON.parse(executed)).toMatchObject({ data: { step_result: { row_count: 1 } } });
      const [events, ...ended] = await following;
      expect(events).toContain("event: PlanCompleted");
      expect(ended).toEqual(["200", httpVersion]);
      const [page, ...shown] = await ask("/docs");
      expect(page).toContain("<html");
      expect(shown).toEqual(["200", httpVersion]);
    },
  );
});
