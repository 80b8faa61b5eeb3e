import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ADMIN,
  applying,
  dieAfter,
  execute,
  history,
  propose,
  send,
  startShop,
  type StepBody,
  submit,
} from "../testing/schema-plans.js";

const WISH = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT)";

let dir: string;
let shop: DatabaseSyncInstance;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "steward-steps-"));
  shop = new DatabaseSync(join(dir, "shop.db"));
  shop.exec("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)");
  shop.exec("INSERT INTO customers VALUES (1, 'Ada'), (2, 'Bo')");
});
afterEach(() => {
  shop.close();
  rmSync(dir, { recursive: true });
});

describe("the tool state.apply_migration", () => {
  it("applies a migration as a step: governed, told, metered and logged like any other", async () => {
    await using app = await startShop(dir);
    const id = await propose(app, WISH);
    const plan = await submit(app, [applying(id)]);
    const execution = await execute(app, plan, "apply");
    expect(execution).toMatchObject({
      step_result: { status: "completed", row_count: 1 },
      llm_context_update: {
        schema_additions: [{ table_name: "customers", operation: "MODIFIED" }],
        augmentation_hints: [expect.stringContaining("customers has changed")],
      },
    });
    expect(shop.prepare("SELECT name, city FROM customers").all()).toHaveLength(2);
    const migration = await send(app, `GET /api/state/migrations/${id}`);
    expect(migration).toMatchObject({ status: "applied", commits: [expect.any(String)] });
    const [row] = JSON.parse(execution.llm_context_update.tool_output_json) as object[];
    expect(row).toMatchObject({ migration_id: id, commit: migration.commits[0] });
    expect((await history(app))[0]).toMatchObject({
      author: "ada",
      message: `Apply ${id}: a wish (step apply of plan ${plan})`,
    });
    await expect
      .poll(() => send(app, "GET /billing/usage/heatmap"))
      .toEqual([expect.objectContaining({ intent: "admin", aau_weight: 5, action_count: 1 })]);
    expect(await execute(app, plan, "apply")).toEqual({ ...execution, replayed: true });
  });

  it("answers a step whose migration is applied already, and changes nothing", async () => {
    await using app = await startShop(dir);
    const id = await propose(app, WISH);
    await send(app, `POST /api/state/migrations/${id}/apply`, {});
    const plan = await submit(app, [applying(id)]);
    expect(await execute(app, plan, "apply")).toMatchObject({
      step_result: { status: "completed" },
    });
    expect((await send(app, `GET /api/state/migrations/${id}`)).commits).toHaveLength(1);
  });

  it("is called by its one intent, or none, and with a migration only", async () => {
    await using app = await startShop(dir);
    const id = "11111111-1111-4111-8111-111111111111";
    const refused = async (step: StepBody): Promise<string> =>
      ((await send(app, "POST /api/plans", { steps: [step] })) as { error: string }).error;
    expect(await refused({ ...applying(id), intent: "write_update" })).toContain(
      "is called with the intent admin, not write_update",
    );
    expect(await refused({ ...applying(id), query_template: "SELECT 1" })).toContain("JSON object");
    expect(await refused(applying("none"))).toContain("migration_id must be the UUID");
    expect(await refused(applying(id, { force: true }))).toContain('takes no "force"');
    expect(await refused(applying(id, { accept_data_loss: 1 }))).toContain("true or false");
    const { intent: _, ...bare } = applying(id);
    expect(await submit(app, [bare])).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("names what is in the way in the step's result, and changes nothing", async () => {
    await using app = await startShop(dir);
    const failure = async (step: StepBody, headers = ADMIN): Promise<string> => {
      const plan = await submit(app, [step]);
      const { step_result: result, error } = await execute(app, plan, "apply", headers);
      return error ?? result.error.message;
    };
    const unknown = "11111111-1111-4111-8111-111111111111";
    expect(await failure(applying(unknown))).toContain("There is no migration");
    for (const odd of ["%20", "x%3Ey", "x".repeat(5000)]) {
      const answer = (await send(app, `GET /api/state/migrations/${odd}`)) as { code: string };
      expect(answer.code).toBe("NOT_FOUND");
    }
    const lossy = await propose(app, "CREATE TABLE customers (id INTEGER PRIMARY KEY)");
    expect(await failure(applying(lossy))).toContain("Data would be lost (customers.name");
    const id = await propose(app, WISH);
    expect(await failure(applying(id), { "x-user-role": "agent" })).toContain("manage:schema");
    shop.exec("CREATE INDEX by_hand ON customers (name)");
    expect(await failure(applying(id))).toContain("create Index by_hand");
    expect((await send(app, `GET /api/state/migrations/${id}`)).status).toBe("proposed");
    shop.exec("DROP INDEX by_hand");
    const plan = await submit(app, [applying(lossy, { accept_data_loss: true })]);
    expect(await execute(app, plan, "apply")).toMatchObject({
      step_result: { status: "completed" },
    });
  });

  it("is applied once when the process dies between the change and its record", async () => {
    let plan: string;
    let id: string;
    {
      await using app = await startShop(dir);
      id = await propose(app, WISH);
      plan = await submit(app, [applying(id)]);
    }
    await dieAfter(dir, { planId: plan, stepId: "apply" }, () => {
      shop.exec(`ALTER TABLE "customers" ADD COLUMN "city" TEXT`);
    });
    await using app = await startShop(dir);
    const execution = await execute(app, plan, "apply");
    expect(execution).toMatchObject({ step_result: { status: "completed", attempt: 1 } });
    const migration = await send(app, `GET /api/state/migrations/${id}`);
    expect(migration).toMatchObject({ status: "applied", commits: [expect.any(String)] });
    expect(execution.llm_context_update.tool_output_json).toContain(migration.commits[0]);
  });

  it("runs when the process died before the change", async () => {
    let plan: string;
    let id: string;
    {
      await using app = await startShop(dir);
      id = await propose(app, WISH);
      plan = await submit(app, [applying(id)]);
    }
    await dieAfter(dir, { planId: plan, stepId: "apply" }, () => undefined);
    await using app = await startShop(dir);
    expect(await execute(app, plan, "apply")).toMatchObject({
      step_result: { status: "completed", attempt: 2 },
    });
    expect((await send(app, `GET /api/state/migrations/${id}`)).commits).toHaveLength(1);
  });
});
