import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { execute, propose, send, startShop, submit } from "../testing/schema-plans.js";
import type { App } from "./app.js";

/** Ada's plans apply migrations, which a policy has Bob approve. */
const BOB = { "x-user-id": "bob", "x-user-role": "approver" };
const POLICY = `@id("schema-changes") @approval("approver") @approval_standing("24h")
  forbid (principal, action == Steward::Action::"admin", resource)
  unless { context.approved };`;

const dir = mkdtempSync(join(tmpdir(), "steward-approved-migrations-"));
let app: App;
let shop: DatabaseSyncInstance;
beforeAll(async () => {
  shop = new DatabaseSync(join(dir, "shop.db"));
  shop.exec("CREATE TABLE customers (id INTEGER PRIMARY KEY)");
  app = await startShop(dir);
  await send(app, "PUT /api/policies", { version: 0, text: POLICY });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  shop.close();
  rmSync(dir, { recursive: true });
});

/** The parts of an approval that are looked at here. */
interface Waiting {
  readonly approval_id: string;
  readonly standing_seconds_max?: number;
  readonly digest: string;
  readonly subject: {
    readonly migration?: { readonly migration_id: string; readonly digest: string };
  };
}

const columns = () => shop.prepare("SELECT name FROM pragma_table_info('customers')").all().length;

/** Has a plan apply a migration. @returns the plan, and the approval that its step waits for. */
async function waiting(migrationId: string): Promise<readonly [plan: string, approval: Waiting]> {
  const query_template = JSON.stringify({ migration_id: migrationId });
  const plan = await submit(app, [{ id: "a", tool_name: "state.apply_migration", query_template }]);
  expect(await execute(app, plan, "a")).toMatchObject({ code: "APPROVAL_REQUIRED" });
  const { approvals } = (await send(app, `GET /api/approvals?plan_id=${plan}`)) as {
    readonly approvals: readonly [Waiting];
  };
  return [plan, approvals[0]];
}

describe("an approval of a migration", () => {
  it("is for the digest of its script and its target, and lets it run once", async () => {
    const wanted = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)";
    const [kept, other] = [
      await propose(app, wanted),
      await propose(app, "CREATE TABLE customers (id INTEGER PRIMARY KEY, other TEXT)"),
    ];
    const [plan, approval] = await waiting(kept);
    const [, another] = await waiting(other);
    const { digest } = (await send(app, `GET /api/state/migrations/${kept}`)) as {
      readonly digest: string;
    };
    expect(approval.subject.migration).toEqual({ migration_id: kept, digest });
    expect(another.subject.migration?.digest).not.toBe(digest);
    expect(columns()).toBe(1);
    // What Bob has read of one migration approves no other.
    const approve = ({ approval_id: id }: Waiting, of: Waiting): Promise<unknown> =>
      send(app, `POST /api/approvals/${id}/approve`, { digest: of.digest }, BOB);
    expect(await approve(another, approval)).toMatchObject({ code: "APPROVAL_CONFLICT" });
    expect(await approve(approval, approval)).toMatchObject({ status: "approved" });
    expect(await execute(app, plan, "a")).toMatchObject({ step_result: { status: "completed" } });
    expect(columns()).toBe(2);
    // Repeating the decision changes nothing: the approval stays used.
    expect(await approve(approval, approval)).toMatchObject({ status: "used" });
  });

  it("never stands for later ones, whatever its policy allows", async () => {
    const wanted = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, more TEXT)";
    const [, approval] = await waiting(await propose(app, wanted));
    expect(approval.standing_seconds_max).toBeUndefined();
    const { approval_id: id, digest } = approval;
    const choice = { digest, standing_seconds: 60 };
    expect(await send(app, `POST /api/approvals/${id}/approve`, choice, BOB)).toMatchObject({
      ...{ code: "POLICY_DENIED", error: expect.stringContaining("migration") as string },
    });
  });

  it("is demanded of a migration that no plan applies, too", async () => {
    const before = columns();
    const id = await propose(app, "CREATE TABLE customers (id INTEGER PRIMARY KEY, later TEXT)");
    const { digest } = (await send(app, `GET /api/state/migrations/${id}`)) as Pick<
      Waiting,
      "digest"
    >;
    const apply = (): Promise<unknown> =>
      send(app, `POST /api/state/migrations/${id}/apply`, { digest, accept_data_loss: true });
    expect(await apply()).toMatchObject({ code: "APPROVAL_REQUIRED" });
    expect(columns()).toBe(before);
    const { approvals } = (await send(app, "GET /api/approvals?status=pending")) as {
      readonly approvals: readonly (Waiting & { readonly step_id: string })[];
    };
    const asked = approvals.find(({ step_id }) => step_id === "applyMigration");
    const answer = { digest: asked?.digest };
    await send(app, `POST /api/approvals/${asked?.approval_id ?? ""}/approve`, answer, BOB);
    expect(await apply()).toMatchObject({ status: "applied" });
    expect(columns()).toBe(2);
    expect(await send(app, `POST /api/state/migrations/${id}/revert`, { digest })).toMatchObject({
      code: "APPROVAL_REQUIRED",
    });
  });
});
