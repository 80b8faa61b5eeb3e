import { randomUUID } from "node:crypto";
import { createClient, type Migration, type StewardClient } from "@steward/client";
import type { Client, StepInput, Wire } from "../client.js";
import { step } from "../scenario.js";
import type { ShopSource } from "../shop-sources.js";
import type { Steward } from "../steward.js";

/** The schema that a migration begins with, and one with a column more. */
export const BASE = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)";
export const WANTED = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT)";
export const ADMIN = { "x-user-id": "ada", "x-user-role": "admin" };
/** A data source with one table, and clients for plans and for the state of an organization. */
export interface Shop<Source extends Pick<ShopSource, "url" | "sql" | "rows"> = ShopSource> {
  readonly source: Source;
  readonly database: string;
  readonly org: string;
  readonly rest: StewardClient;
  readonly client: Client;
}

/** Creates the table. @param database the name of the data source. */
export async function openShop<Source extends Pick<ShopSource, "url" | "sql" | "rows">>(
  steward: Steward,
  source: Source,
  database: string,
  wire: Wire,
): Promise<Shop<Source>> {
  await source.sql(BASE);
  const org = randomUUID();
  const rest = createClient({ baseUrl: source.url, orgId: org, userId: "ada", role: "admin" });
  const client = steward.client(wire, { ...ADMIN, "x-org-id": org });
  return { source, database, org, rest, client };
}

/** Proposes a migration. @throws Error when the data source has this schema already. */
export const propose = async (
  { rest, database }: Pick<Shop, "rest" | "database">,
  sql = WANTED,
): Promise<Migration> => {
  const outcome = await rest.migrations.proposeMigration({ database, sql, message: "a wish" });
  if (outcome.status === "unchanged") throw new Error("there is nothing to do");
  return outcome;
};
/** A step that applies a migration. */
export const apply = ({ migration_id }: Pick<Migration, "migration_id">): StepInput =>
  step("apply", JSON.stringify({ migration_id }), {
    tool_name: "state.apply_migration",
    intent: "admin",
  });
/** @returns the id of the plan. */
export const submit = async (client: Client, ...steps: readonly StepInput[]): Promise<string> =>
  (await client.submit({ steps })).plan_id;
