import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { expect } from "vitest";
import { freePort } from "../../faults/server-process.js";
import type { Identity } from "../client.js";
import { eventsOf, expectNotRun, expectRefusal, rowsOf } from "../expectations.js";
import { GrpcClient } from "../wires/grpc-client.js";
import { step, type ProcessScenario } from "../scenario.js";
import { sharedSteward } from "../shared-steward.js";
import { Steward } from "../steward.js";
import { npxSteward, runSteward } from "../steward-command.js";

const PLAN = { name: "a plan", steps: [step("a", "SELECT 1 AS n")] };
/** The role set by a proxy. */
const AGENT = { "x-user-role": "agent" };
const UNKNOWN = "00000000-0000-7000-8000-000000000000";

const PROXY_SECRETS = ["correct-horse-battery-staple", "incorrect-horse-battery-staple"] as const;
const PROXY_ORGANIZATION = randomUUID();
/** The settings of a server behind a proxy that is changing its secret. */
const BEHIND_PROXY = {
  SERVICE_PROXY_SECRET: PROXY_SECRETS.join(","),
  SERVICE_ORGANIZATION: PROXY_ORGANIZATION,
};

/** A plan read over HTTP/2 without TLS. */
async function planOverHttp2(url: string, planId: string, identity: Identity): Promise<unknown> {
  const session = connect(url);
  const stream = session.request({ ":path": `/api/plans/${planId}`, ...identity });
  const { data } = (await json(stream)) as { data: unknown };
  session.close();
  return data;
}

/** Starting a server, and its defaults. */
export const starting: readonly ProcessScenario[] = [
  {
    cites: ["D2-browsers", "D2-docs", "D2-metrics"],
    title: "foreign pages are refused, metrics need their right, and the docs can be switched off",
    run: async () => {
      await using steward = await Steward.start({ SERVICE_DOCS: "false" });
      const statusOf = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
        (await fetch(`${steward.url}${path}`, { headers })).status;
      expect(await statusOf("/api/plans", { origin: "https://evil.example" })).toBe(403);
      expect(await statusOf("/api/plans", { origin: steward.url })).toBe(200);
      expect(await statusOf("/metrics")).toBe(200);
      expect(await statusOf("/metrics", { "x-user-role": "agent" })).toBe(403);
      expect(await statusOf("/metrics", { "x-user-role": "auditor" })).toBe(200);
      expect(await Promise.all(["/docs", "/openapi.json"].map((path) => statusOf(path)))).toEqual([
        ...[404, 404],
      ]);
    },
  },
  {
    cites: ["D2-private"],
    title: "a data directory that others may enter stops the start, with the fix",
    run: async () => {
      const directory = mkdtempSync(join(tmpdir(), "steward-open-"));
      chmodSync(directory, 0o755);
      const { exitCode, stderr } = await runSteward(["serve", "--port", "0"], {
        SERVICE_DATA_DIR: directory,
      });
      rmSync(directory, { recursive: true });
      expect(exitCode).not.toBe(0);
      expect(stderr).toContain(`chmod 700 ${directory}`);
    },
  },
  {
    cites: ["D1-npx"],
    title: "npx steward works at the repository's root",
    run: async () => {
      const { exitCode, stdout } = await npxSteward(["--help"]);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/\bdev\b[^]*\bserve\b/);
    },
  },
  {
    cites: ["D1-dev"],
    title: "steward dev has a store and a sample database to run steps on",
    run: async () => {
      await using steward = await Steward.startProcess(
        { SERVICE_DATABASE_URL: undefined, SERVICE_DATA_SOURCES: undefined },
        { args: ["dev"] },
      );
      const client = steward.client("rest");
      const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
      const { plan_id } = await client.submit({ steps: [step("tables", tables)] });
      expect((await rowsOf(client, plan_id, "tables")).length).toBeGreaterThan(2);
    },
  },
  {
    cites: ["D1-durable"],
    title: "a plan outlives its server",
    run: async () => {
      await using steward = await Steward.startProcess();
      const client = steward.client("rest");
      const { plan_id } = await client.submit(PLAN);
      const first = await client.execute(plan_id, "a");
      const events = await eventsOf(client, plan_id);
      expect(await steward.server.stop()).toBe(0);
      await steward.server.restart();
      expect(await client.getPlan(plan_id)).toMatchObject({ name: "a plan", status: "completed" });
      expect(await client.execute(plan_id, "a")).toEqual({ ...first, replayed: true });
      expect(await eventsOf(client, plan_id)).toEqual(events);
    },
  },
  {
    cites: ["C1-noop", "C4.3-noop", "C4.3-error", "C7-noop", "D1-noop", "D1-noop-reads", "D9-noop"],
    title: "without a database every write is refused with the fix, and every plan is unknown",
    run: async () => {
      const steward = await sharedSteward({ SERVICE_DATABASE_URL: undefined });
      for (const wire of ["grpc", "rest"] as const) {
        const client = steward.client(wire);
        const notConfigured = {
          code: "ORCHESTRATOR_NOT_CONFIGURED",
          grpc: "UNIMPLEMENTED",
          rest: 501,
          message:
            /^WorkflowOrchestrator is not configured: no backing store; set SERVICE_DATABASE_URL$/,
        };
        await expectRefusal(wire, client.submit(PLAN), notConfigured);
        await expectRefusal(wire, client.cancel(UNKNOWN), notConfigured);
        const execution = await client.execute(UNKNOWN, "a");
        expectNotRun(wire, execution, notConfigured);
        expect(execution.error_message).toMatch(notConfigured.message);
        await expectRefusal(wire, client.getPlan(UNKNOWN), {
          code: "PLAN_NOT_FOUND",
          grpc: "NOT_FOUND",
          rest: 404,
        });
        expect((await client.list({})).plans).toEqual([]);
      }
    },
  },
  {
    cites: ["D1-one-port", "D1-http2"],
    title: "one port carries gRPC and REST",
    run: async () => {
      const steward = await sharedSteward();
      const identity = { "x-org-id": randomUUID() };
      const { plan_id } = await steward.client("grpc", identity).submit(PLAN);
      const overHttp1 = await steward.client("rest", identity).getPlan(plan_id);
      expect(overHttp1).toMatchObject({ plan_id });
      expect(await planOverHttp2(steward.url, plan_id, identity)).toEqual(overHttp1);
    },
  },
  {
    cites: ["D1-grpc-port", "D1-http2"],
    title: "gRPC can have a port of its own",
    run: async () => {
      const port = await freePort();
      await using steward = await Steward.start({ SERVICE_GRPC_PORT: String(port) });
      const identity = { "x-org-id": randomUUID() };
      using client = GrpcClient.connect(`127.0.0.1:${port}`, identity);
      const { plan_id } = await client.submit(PLAN);
      const overHttp1 = await steward.client("rest", identity).getPlan(plan_id);
      expect(overHttp1).toMatchObject({ plan_id });
      expect(await planOverHttp2(steward.url, plan_id, identity)).toEqual(overHttp1);
    },
  },
  {
    cites: ["D1-ready"],
    title: "readiness tells of the store and of the data directory",
    run: async () => {
      const steward = await sharedSteward();
      const response = await fetch(`${steward.url}/readyz`);
      expect(await response.json()).toEqual({
        data: { ready: true, checks: { store: "ok", data_dir: "ok", memory: "ok" } },
      });
    },
  },
  {
    cites: ["D1-flags"],
    title: "a flag wins over its variable",
    run: async () => {
      const { exitCode, stdout } = await runSteward(["config", "--json", "--port", "4321"], {
        SERVICE_PORT: "1234",
        SERVICE_GRPC_PORT: "2345",
      });
      expect(exitCode).toBe(0);
      expect(stdout).toContain("4321");
      expect(stdout).toContain("2345");
      expect(stdout).not.toContain("1234");
    },
  },
  {
    cites: ["D2-loopback"],
    title: "a start that would expose the identity headers is refused with the fix",
    run: async () => {
      const { exitCode, stderr } = await runSteward(["serve", "--host", "0.0.0.0"], {
        SERVICE_PORT: String(await freePort()),
      });
      expect(exitCode).not.toBe(0);
      expect(stderr).toMatch(/SERVICE_TRUSTED_PROXIES/);
      expect(stderr).toMatch(/SERVICE_PROXY_SECRET/);
    },
  },
  {
    cites: ["D2-secret"],
    title: "who does not know the shared secret is nobody",
    run: async () => {
      const [secret, own] = [PROXY_SECRETS[0], PROXY_ORGANIZATION];
      const steward = await sharedSteward(BEHIND_PROXY);
      for (const wire of ["grpc", "rest"] as const) {
        const stranger = steward.client(wire, { "x-org-id": own });
        const unauthenticated = { code: "UNAUTHENTICATED", grpc: "UNAUTHENTICATED", rest: 401 };
        await expectRefusal(wire, stranger.submit(PLAN), unauthenticated);
        const guess = stranger.as({ "x-proxy-secret": "wrong-horse-battery-staple" });
        await expectRefusal(wire, guess.submit(PLAN), unauthenticated);
        await stranger.as({ "x-proxy-secret": secret, "x-org-id": own, ...AGENT }).submit(PLAN);
      }
    },
  },
  {
    cites: [
      ...(["D2-two-secrets", "D2-vouched-org", "D2-vouched-search", "D2-vouched-session"] as const),
      "D2-data-sources",
    ],
    title: "what a trusted proxy says of a caller cannot be left out or widened",
    run: async () => {
      const [old, next] = PROXY_SECRETS;
      const [own, other] = [PROXY_ORGANIZATION, randomUUID()];
      const steward = await sharedSteward(BEHIND_PROXY);
      const denied = { code: "POLICY_DENIED", grpc: "PERMISSION_DENIED", rest: 403 };
      for (const wire of ["grpc", "rest"] as const) {
        const nameless = steward.client(wire, { "x-proxy-secret": old });
        const unauthenticated = { code: "UNAUTHENTICATED", grpc: "UNAUTHENTICATED", rest: 401 };
        await expectRefusal(wire, nameless.submit(PLAN), unauthenticated);

        const theirs = steward.client(wire, { "x-proxy-secret": old, "x-org-id": other, ...AGENT });
        await theirs.memory.add({ session_id: "s", content: '"theirs"' });
        await expectRefusal(wire, theirs.submit(PLAN), denied);
        const mine = steward.client(wire, { "x-proxy-secret": next, "x-org-id": own, ...AGENT });
        const { entry_id } = await mine.memory.add({ session_id: "s", content: '"mine"' });
        for (const org_id of [undefined, null, own, own.toUpperCase()]) {
          const search = { query: "x", ...(org_id === undefined ? {} : { org_id }) };
          const found = (await mine.memory.search(search)).map((result) => result.entry_id);
          expect(found).toContain(entry_id);
          expect(found).toHaveLength((await mine.memory.list()).entries.length);
        }
        await expectRefusal(wire, mine.memory.search({ query: "x", org_id: other }), denied);

        const inSession = steward.client(wire, {
          "x-proxy-secret": old,
          "x-org-id": own,
          ...AGENT,
          "x-session-id": "s1",
        });
        await expectRefusal(wire, inSession.submit({ ...PLAN, session_id: "s2" }), denied);
        await inSession.submit({ ...PLAN, session_id: "s1" });
      }
    },
  },
  {
    cites: ["D2-once"],
    title: "an identity header that is sent twice is refused",
    run: async () => {
      const steward = await sharedSteward();
      const session = connect(steward.url);
      const stream = session.request({
        ":path": "/api/plans",
        "x-org-id": [randomUUID(), randomUUID()],
      });
      const answer = await json(stream);
      session.close();
      expect(answer).toMatchObject({
        code: "INVALID_ARGUMENT",
        details: [{ field: "x-org-id", reason: "it is sent more than once" }],
      });
    },
  },
];
