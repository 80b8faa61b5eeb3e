import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { Erasure } from "../../retention/index.js";
import type { ErasedPlanNames, PageOfNames } from "../../retention/ports.js";
import { columnsWithoutUser, inJson, NAMING_COLUMNS } from "../plan-changes/index.js";
import { integer, rowType, uuid, type Readable } from "./row-type.js";
import { among, contains, joined, raw, sql, type Sql } from "./sql.js";
import { always, type SqlStore } from "./sql-store.js";

const PLAN = rowType<{ readonly planId: string; readonly isOver: number }>({
  planId: uuid,
  isOver: integer,
});

type NamedRow = Readonly<Record<string, string | number | null>>;
// Keys and texts of JSON, as the statement selects them.
const NAMED: Readable<NamedRow> = { read: (row) => row as NamedRow };

/** Deletes the names of users from the plans of others. */
export class SqlErasedPlanNames implements ErasedPlanNames {
  readonly #db: SqlStore;

  constructor(db: SqlStore) {
    this.#db = db;
  }

  async erase(
    { orgId, subject, requestedAtMs }: Erasure,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<PageOfNames> {
    const plans = await this.#db.rows(
      orgId,
      sql`SELECT plan_id, CASE WHEN finished_at_ms IS NULL THEN 0 ELSE 1 END AS is_over FROM plans
        WHERE org_id = ${orgId} AND plan_id > ${page.after ?? NIL_ORG_ID}
          AND created_at_ms <= ${requestedAtMs}
        ORDER BY plan_id LIMIT ${page.limit}`,
      PLAN,
    );
    const running = plans.filter(({ isOver }) => isOver === 0).map(({ planId }) => planId);
    const over = plans.filter(({ isOver }) => isOver === 1).map(({ planId }) => planId);
    await this.#db.write(await this.#changes(orgId, subject, over), { isOurs: always });
    const last = plans.length < page.limit ? undefined : plans.at(-1)?.planId;
    return {
      isNamed: (await this.#changes(orgId, subject, running)).length > 0,
      ...(last === undefined ? {} : { through: last }),
    };
  }

  /** The changes after which these plans do not name the user. */
  async #changes(
    orgId: string,
    userId: string,
    planIds: readonly string[],
  ): Promise<readonly Sql[]> {
    const changes: Sql[] = [];
    if (planIds.length === 0) return changes;
    for (const naming of NAMING_COLUMNS) {
      const { table, planId, key, columns } = naming;
      const type = planId === "plan_id" ? "uuid" : "text";
      const names = columns.map((column) => contains(raw(column), inJson(userId)));
      const rows = await this.#db.rows(
        orgId,
        sql`SELECT ${raw([...key, ...columns].join(", "))} FROM ${raw(table)}
          WHERE org_id = ${orgId} AND ${among(raw(planId), planIds, type)}
            AND (${joined(names, " OR ")})`,
        NAMED,
      );
      for (const row of rows) {
        const isAt = key.map((each) => sql`AND ${raw(each)} = ${row[each]}`);
        for (const [column, json] of columnsWithoutUser(naming, row, userId)) {
          changes.push(sql`UPDATE ${raw(table)} SET ${raw(column)} = ${json}
            WHERE org_id = ${orgId} ${joined(isAt, " ")}`);
        }
      }
    }
    return changes;
  }
}
