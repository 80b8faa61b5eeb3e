/**
 * Only the reviewed migration may run, on a server behind a trusted proxy. An agent tries to
 * replace the script of a proposed migration with every operation that writes state; then an admin
 * runs the migration with correct digests, forged ones, and another migration's.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "./app.js";
import { applying, send } from "../testing/schema-plans.js";

const SECRET = "correct-horse-battery-staple";
const ORG = {
  "x-org-id": "11111111-1111-4111-8111-111111111111",
  "x-proxy-secret": SECRET,
};
const ADMIN = { ...ORG, "x-user-id": "ada", "x-user-role": "admin" };
const AGENT = { ...ORG, "x-agent-id": "helper", "x-user-role": "agent" };

let dir: string;
let app: App;
let shop: DatabaseSyncInstance;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "steward-reviewed-"));
  shop = new DatabaseSync(join(dir, "shop.db"));
  shop.exec("CREATE TABLE customers (id INTEGER PRIMARY KEY)");
  app = await openApp({
    port: 0,
    logLevel: "silent",
    dataDir: dir,
    databaseUrl: `sqlite:${join(dir, "store.db")}`,
    dataSources: [{ name: "shop", url: `sqlite:${join(dir, "shop.db")}` }],
    organization: ORG["x-org-id"],
    auth: { headers: { trustedProxies: [], proxySecrets: [SECRET] } },
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  shop.close();
  rmSync(dir, { recursive: true });
});

const columns = (): readonly unknown[] =>
  shop
    .prepare("SELECT name FROM pragma_table_info('customers')")
    .all()
    .map(({ name }) => name);

async function propose(sql: string): Promise<{ migration_id: string; digest: string }> {
  const proposal = { database: "shop", sql, message: "a wish" };
  return send(app, "POST /api/state/migrations", proposal, ADMIN) as Promise<{
    migration_id: string;
    digest: string;
  }>;
}

describe("the record of a proposed migration", () => {
  it("is read, and not written, by whoever has no part in it", async () => {
    const { migration_id: id, digest } = await propose(
      "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)",
    );
    const at = await send(app, "GET /api/state/at?at=migrations", undefined, AGENT);
    const { commit, quads } = at as { commit: string; quads: { object: { value: string } }[] };
    expect(quads[0]?.object.value).toContain(id);
    const forged = {
      format: "n-quads",
      content: `<urn:steward:migration:${id}> <urn:steward:schema#document> "{}" .`,
      message: "a better script",
    };
    await send(app, "POST /api/state/import", { ...forged, branch: "mine" }, AGENT);
    const attempts: readonly (readonly [string, object])[] = ["migrations", "schemas/shop"].flatMap(
      (branch) =>
        [
          ["POST /api/state/import", { ...forged, branch, mode: "replace" }],
          ["POST /api/state/import", { ...forged, branch, remove: forged.content }],
          ["POST /api/state/merge", { branch, from: "mine", message: "swap" }],
          ["POST /api/state/merge", { branch, from: "mine", message: "swap", preview: true }],
          ["POST /api/state/revert", { branch, commit }],
          ["POST /api/state/refs", { name: `heads/${branch}`, commit: "mine", expected: commit }],
          ["POST /api/state/refs", { name: `heads/${branch}`, commit: null, expected: commit }],
        ] as const,
    );
    for (const [request, body] of attempts) {
      expect(await send(app, request, body, AGENT)).toMatchObject({ code: "POLICY_DENIED" });
      expect(await send(app, request, body, ADMIN)).toMatchObject({ code: "POLICY_DENIED" });
    }
    const sent = await fetch(
      `http://127.0.0.1:${String(app.address.port)}/api/state/documents?branch=migrations&message=swap`,
      {
        method: "POST",
        headers: { ...AGENT, "content-type": "application/n-quads" },
        body: forged.content,
      },
    );
    expect(sent.status).toBe(403);
    expect(await send(app, "GET /api/state/at?at=migrations", undefined, AGENT)).toEqual(at);
    const shown = await send(app, `GET /api/state/migrations/${id}`, undefined, ADMIN);
    expect(shown).toMatchObject({ digest, status: "proposed" });
  });
});

describe("a run of a migration", () => {
  it("is of the migration whose digest it names, and of no other", async () => {
    const kept = await propose("CREATE TABLE customers (id INTEGER PRIMARY KEY, kept TEXT)");
    const other = await propose("CREATE TABLE customers (id INTEGER PRIMARY KEY, other TEXT)");
    const path = `/api/state/migrations/${kept.migration_id}`;
    const run = (way: string, body: object): Promise<unknown> =>
      send(app, `POST ${path}/${way}`, body, ADMIN);
    for (const way of ["apply", "revert", "resume", "undo"]) {
      expect(await run(way, {})).toMatchObject({
        code: "INVALID_ARGUMENT",
        details: [{ field: "digest" }],
      });
      for (const digest of [other.digest, "0".repeat(64)]) {
        expect(await run(way, { digest })).toMatchObject({
          code: "STATE_CONFLICT",
          error: expect.stringContaining("reviewed") as string,
        });
      }
    }
    expect(columns()).toEqual(["id"]);
    expect(await run("apply", { digest: kept.digest })).toMatchObject({ status: "applied" });
    expect(columns()).toEqual(["id", "kept"]);
    // The digest of one migration does not permit another one, and an applied migration is not run
    // again.
    expect(await run("apply", { digest: other.digest })).toMatchObject({ code: "STATE_CONFLICT" });
    expect(await run("apply", { digest: kept.digest })).toMatchObject({ status: "applied" });
    expect(await run("revert", { digest: kept.digest, accept_data_loss: true })).toMatchObject({
      status: "reverted",
      digest: kept.digest,
    });
  });

  it("by a step of a plan names the digest too", async () => {
    const { migration_id: id, digest } = await propose(
      "CREATE TABLE customers (id INTEGER PRIMARY KEY, stepped TEXT)",
    );
    const outcome = async (more: object): Promise<unknown> => {
      const steps = [applying(id, more)];
      const { plan_id: plan } = (await send(app, "POST /api/plans", { steps }, ADMIN)) as {
        plan_id: string;
      };
      const path = `/api/plans/${plan}/steps/apply/execute`;
      return send(app, `POST ${path}`, undefined, ADMIN);
    };
    const failed = (reason: string): object => ({
      step_result: {
        status: "failed",
        error: { message: expect.stringContaining(reason) as string },
      },
    });
    expect(await outcome({})).toMatchObject(failed("digest: is missing"));
    expect(await outcome({ digest: "0".repeat(64) })).toMatchObject(failed("reviewed"));
    expect(columns()).not.toContain("stepped");
    expect(await outcome({ digest })).toMatchObject({ step_result: { status: "completed" } });
    expect(columns()).toContain("stepped");
    const malformed = { steps: [applying(id, { digest: "deadbeef" })] };
    expect(await send(app, "POST /api/plans", malformed, ADMIN)).toMatchObject({
      code: "INVALID_PLAN",
    });
  });
});

describe("a migration that defines code", () => {
  const TRIGGER =
    "CREATE TRIGGER noted AFTER INSERT ON coded BEGIN UPDATE coded SET id = id WHERE id = 0; END";
  const may = (permissions: string): Record<string, string> => ({
    ...ORG,
    "x-user-role": "schema",
    "x-user-permissions": permissions,
  });

  it("needs a permission of its own when it is proposed, and when it runs", async () => {
    const { sql } = (await send(app, "GET /api/state/schema", undefined, ADMIN)) as { sql: string };
    const wish = (more: string): object => ({
      ...{ database: "shop", message: "code" },
      sql: `${sql}\n;CREATE TABLE coded (id INTEGER PRIMARY KEY);${more}`,
    });
    const proposal = (more: string, headers: Record<string, string>): Promise<unknown> =>
      send(app, "POST /api/state/migrations", wish(more), headers);
    expect(await proposal("", may("manage:schema"))).toMatchObject({ status: "proposed" });
    expect(await proposal(TRIGGER, may("manage:schema"))).toMatchObject({
      code: "POLICY_DENIED",
      error: expect.stringMatching(/defines code \(Trigger .*noted\).*manage:code/) as string,
    });
    const coded = (await proposal(TRIGGER, may("manage:schema,manage:code"))) as {
      migration_id: string;
      digest: string;
    };
    const run = (headers: Record<string, string>): Promise<unknown> => {
      const path = `POST /api/state/migrations/${coded.migration_id}/apply`;
      return send(app, path, { digest: coded.digest }, headers);
    };
    expect(await run(may("manage:schema"))).toMatchObject({ code: "POLICY_DENIED" });
    expect(await run(may("manage:code"))).toMatchObject({ status: "applied" });
  });
});
