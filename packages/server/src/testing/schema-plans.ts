import { withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import { join } from "node:path";
import { openApp, type App } from "../app/app.js";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../kernel/telemetry.js";
import type { AttemptRef } from "../plans/ports.js";
import type { Schema } from "@steward/schema";
import { SchemaHistory } from "@steward/schema";
import { SqliteBlockStores } from "../storage/sqlite/state/block-stores.js";
import { openSqliteStore } from "../storage/sqlite/store.js";

/** A step of a test. */
export interface StepBody {
  readonly id: string;
  readonly query_template: string;
  readonly intent?: string;
  readonly tool_name?: string;
  readonly depends_on?: readonly string[];
}

/** A commit in the log. */
export interface Commit {
  readonly commit: string;
  readonly author: string;
  readonly message: string;
}

/** A caller with the right to change schemas. */
export const ADMIN: Readonly<Record<string, string>> = {
  "x-user-id": "ada",
  "x-user-role": "admin",
};

/** Starts the service on a new directory, with one data source named shop. */
export function startShop(
  dir: string,
  url: string = `sqlite:${join(dir, "shop.db")}`,
): Promise<App> {
  return openApp({
    port: 0,
    logLevel: "silent",
    dataDir: dir,
    databaseUrl: `sqlite:${join(dir, "store.db")}`,
    dataSources: [{ name: "shop", url }],
  });
}

/** Sends a REST request. @returns the answer's data, or the error. */
export async function send(
  app: App,
  request: string,
  body?: object,
  headers: Readonly<Record<string, string>> = ADMIN,
  // The caller knows the type of the answer.
  // oxlint-disable-next-line typescript/no-explicit-any
): Promise<any> {
  const [method = "", path = ""] = request.split(" ");
  const response = await fetch(`http://127.0.0.1:${String(app.address.port)}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { readonly data?: unknown };
  return answer.data ?? answer;
}

/** Submits a plan. @returns its id. */
export const submit = async (app: App, steps: readonly StepBody[]): Promise<string> =>
  ((await send(app, "POST /api/plans", { steps })) as { plan_id: string }).plan_id;

/** Executes a step. */
export const execute = (
  app: App,
  plan: string,
  step: string,
  headers: Readonly<Record<string, string>> = ADMIN,
  // As above.
  // oxlint-disable-next-line typescript/no-explicit-any
): Promise<any> => send(app, `POST /api/plans/${plan}/steps/${step}/execute`, undefined, headers);

/** The commits of the shop's schema, newest first. */
export const history = (app: App): Promise<readonly Commit[]> =>
  send(app, "GET /api/state/log?from=schemas/shop") as Promise<readonly Commit[]>;

/** Proposes a schema for the shop. @returns the migration's id. */
export const propose = async (app: App, sql: string): Promise<string> =>
  (
    (await send(app, "POST /api/state/migrations", {
      database: "shop",
      sql,
      message: "a wish",
    })) as { migration_id: string }
  ).migration_id;

/** A step that applies a migration. */
export const applying = (id: string, more: object = {}): StepBody => ({
  id: "apply",
  tool_name: "state.apply_migration",
  intent: "admin",
  query_template: JSON.stringify({ migration_id: id, ...more }),
});

/**
 * Leaves the state of a process that died during a step: claimed, its effect done, nothing
 * reported.
 */
export async function dieAfter(
  dir: string,
  { planId, stepId }: Pick<AttemptRef, "planId" | "stepId">,
  effect: (attempt: AttemptRef) => void | Promise<void>,
): Promise<void> {
  await using store = openSqliteStore(join(dir, "store.db"), systemClock, silentTelemetry);
  const ref = { orgId: NIL_ORG_ID, planId, stepId };
  const claim = await store.plans.claimStep(ref, "a process that dies");
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  await effect({ ...ref, attempt: claim.attempt });
}

/** The stored schema at the head of the history. */
export function headSchema(dir: string): Schema {
  using store = new SqliteBlockStores(join(dir, "state"), systemClock).open(NIL_ORG_ID, false);
  const head = store && withoutPauses(new SchemaHistory(store, systemClock, "shop").reading());
  if (head === undefined) throw new Error("nothing is recorded");
  return head.schema;
}
