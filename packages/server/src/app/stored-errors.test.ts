import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { createClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openApp, type App } from "./app.js";

/**
 * What a stored result tells beside its rows: errors that quote values, numbers of rows, and schemas. Only the
 * person root may use the columns. Everything that the service says of a step is searched for them.
 */
const directory = mkdtempSync(join(tmpdir(), "steward-stored-errors-"));
const file = join(directory, "crm.db");
const QUOTING = "SELECT json_extract('{}', email) FROM customer";
const VALUE = "ada@secret.test";

let app: App;
/** A step that has quoted the value before the policies, and was revised then. */
let early: string;
/** A step that the database refused before the policies. */
let mistaken: string;
/** Steps whose numbers of rows tell of the value, run before the policies. */
let counted: readonly string[];
beforeAll(async () => {
  const db = new DatabaseSync(file);
  db.exec(`CREATE TABLE customer (id INTEGER PRIMARY KEY, email TEXT, pin_code TEXT);
    INSERT INTO customer VALUES (1, '${VALUE}', '1234')`);
  db.close();
  app = await opened();
  early = await revised();
  mistaken = await ran("SELECT emial FROM customer");
  counted = await ranCounting();
  const policies = ["email", "pin_code"].map(
    (column) => `@id("no-${column}") forbid (principal, action in Steward::Action::"statements",
      resource == Steward::Column::"crm/customer/${column}")
    unless { principal == Steward::Person::"root" };`,
  );
  await as("root").policies.putPolicies({ text: policies.join("\n"), version: 0 });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const opened = (): Promise<App> =>
  openApp({
    ...{ port: 0, log: silentLog, dataDir: directory },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [{ name: "crm", url: `sqlite:${file}` }],
  });
const headersOf = (user: string) => ({ "x-user-role": "admin", "x-user-id": user });
const urlOf = (): string => `http://127.0.0.1:${String(app.address.port)}`;
const as = (user: string) =>
  createClient({ baseUrl: urlOf(), headers: headersOf(user), maxRetries: 0 });

/** Runs one step as root. @returns the id of its plan. */
async function ran(query_template: string): Promise<string> {
  const { plans } = as("root");
  const { plan_id } = await plans.submit({ steps: [{ id: "a", query_template }] });
  await plans.execute(plan_id, "a");
  return plan_id;
}

/** Steps that return and change as many rows as the value says; one has none. @returns the ids of their plans. */
const ranCounting = async (): Promise<readonly string[]> => [
  await ran(`WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL
    SELECT i + 1 FROM c WHERE i < (SELECT unicode(email) FROM customer)) SELECT 1 FROM c`),
  await ran("SELECT 1 FROM customer WHERE email < 'a'"),
  await ran(`UPDATE customer SET id = id WHERE email = '${VALUE}'`),
];

/** Has a step fail, and revises it. @returns the id of its plan, which completes. */
async function revised(): Promise<string> {
  const { plans } = as("root");
  const steps = [{ id: "a", query_template: QUOTING }];
  const { plan_id } = await plans.submit({ on_failure: "pause", steps });
  const { step_result: failed } = await plans.execute(plan_id, "a");
  expect(failed.error?.message).toContain(VALUE);
  await plans.reviseStep({ plan_id, step_id: "a", query_template: "SELECT 1" });
  await plans.execute(plan_id, "a");
  return plan_id;
}

/** All that a caller is told of a plan that is over; the texts of its statements are left out. */
async function told(user: string, planId: string): Promise<string> {
  const { plans, memory, audit } = as(user);
  await vi.waitFor(async () => {
    expect(await memory.getMemoryStats()).toMatchObject({ waiting_calls: 0 });
  }, 60_000);
  const texts = async (ask: () => Promise<unknown>): Promise<string> => {
    try {
      return JSON.stringify(await ask());
    } catch (error) {
      return String(error);
    }
  };
  const headers = headersOf(user);
  const answers = [
    texts(() => plans.getPlan({ plan_id: planId })),
    texts(() => plans.execute(planId, "a")),
    texts(() => plans.getStep({ plan_id: planId, step_id: "a" })),
    texts(async () => (await fetch(`${urlOf()}/api/plans/${planId}/events`, { headers })).text()),
    texts(async () =>
      (await memory.listMemoryEntries({ limit: 200 })).entries.filter(isOf(planId)),
    ),
    texts(() => audit.listAuditRecords({ subject: planId })),
  ];
  return (await Promise.all(answers)).join("\n").replaceAll(QUOTING, "");
}

const isOf =
  (planId: string) =>
  ({ content }: { readonly content: string }): boolean =>
    content.includes(planId);

describe("to whoever may not read the columns", () => {
  it("an error is not told of an attempt whose step was revised since", async () => {
    for (const planId of [early, await revised()]) {
      const shown = await told("other", planId);
      expect(shown).toContain("PlanCompleted");
      expect(shown).not.toContain(VALUE);
    }
  });

  it("the number of rows is told neither in the plan nor in its events", async () => {
    for (const planId of [...counted, ...(await ranCounting())]) {
      const rows = async (user: string) => {
        const { steps } = await as(user).plans.getPlan({ plan_id: planId });
        const events = await fetch(`${urlOf()}/api/plans/${planId}/events`, {
          headers: headersOf(user),
        });
        const executed = /event: PlanStepExecuted\ndata: .*/.exec(await events.text())?.[0] ?? "";
        return [steps[0]?.row_count, /row_count\D+(\d+)/.exec(executed)?.[1]];
      };
      const [inPlan, inEvent] = await rows("root");
      expect(Number(inEvent)).toBe(inPlan);
      expect(await rows("other")).toEqual([undefined, undefined]);
    }
  });

  it("a change of the schema does not name them", async () => {
    const planId = await ran("ALTER TABLE customer ADD COLUMN phone TEXT");
    expect(await told("root", planId)).toContain("pin_code");
    const shown = await told("other", planId);
    expect(shown).toContain("PlanCompleted");
    expect(shown).not.toContain("table_def_json");
  });
});

it("an error of earlier than the policies is told to whoever may read the tables that it is about", async () => {
  expect(await told("root", mistaken)).toContain("did you mean email?");
  expect(await told("other", mistaken)).not.toContain("did you mean email?");
});

it("whoever ran a failed statement gets its error and hints again", async () => {
  const { plans } = as("other");
  const steps = [{ id: "a", query_template: "SELECT idd FROM customer" }];
  const { plan_id } = await plans.submit({ steps });
  const first = await plans.execute(plan_id, "a");
  expect(first.step_result.error?.message).toContain("idd");
  expect(await plans.execute(plan_id, "a")).toEqual({ ...first, replayed: true });
});

it("an error of a plan that is not stored any more is not told to whoever may not read", async () => {
  const headers = (role: string) => ({ "x-org-id": crypto.randomUUID(), "x-user-role": role });
  const admin = headers("admin");
  const auditor = { ...admin, "x-user-role": "auditor" };
  const client = (who: Readonly<Record<string, string>>) =>
    createClient({ baseUrl: urlOf(), headers: who, maxRetries: 0 });
  const steps = [{ id: "a", query_template: QUOTING }];
  const { plan_id: planId } = await client(admin).plans.submit({ steps });
  await client(admin).plans.execute(planId, "a");
  const records = async (who: typeof admin) =>
    JSON.stringify(await client(who).audit.listAuditRecords({ subject: planId }));
  expect(await records(admin)).toContain(VALUE);
  expect(await records(auditor)).not.toContain(VALUE);
  await app[Symbol.asyncDispose]();
  {
    using store = new DatabaseSync(join(directory, "store.db"), {
      enableForeignKeyConstraints: false,
    });
    for (const table of ["plans", "plan_definitions", "plan_changes"]) {
      store.prepare(`DELETE FROM ${table} WHERE plan_id = ?`).run(planId);
    }
  }
  app = await opened();
  await expect(client(admin).plans.getPlan({ plan_id: planId })).rejects.toMatchObject({
    code: "PLAN_NOT_FOUND",
  });
  expect(await records(admin)).toContain(VALUE);
  expect(await records(auditor)).not.toContain(VALUE);
});
