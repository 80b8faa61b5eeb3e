import { isDeepStrictEqual } from "node:util";
import type { RecordedOperation } from "../../kernel/recorded-operation.js";
import type { RowType } from "./row-type.js";
import { raw, sql, type Sql } from "./sql.js";
import { one, type SqlStore } from "./sql-store.js";

/** A table of what an organization has set, version by version. The newest version is in force. */
export interface VersionTable<V> {
  readonly name: "policies" | "retention_versions";
  readonly type: RowType<V>;
  /** The number of versions that are kept of an organization; adding one deletes the oldest. */
  readonly versionsMax: number;
}

/** The versions of an organization's policies or periods, counted from 1. */
export class Versions<V extends { readonly orgId: string; readonly version: number }> {
  readonly #db: SqlStore;
  readonly #table: VersionTable<V>;
  readonly #name: Sql;

  constructor(db: SqlStore, table: VersionTable<V>) {
    this.#db = db;
    this.#table = table;
    this.#name = raw(table.name);
  }

  latest(orgId: string): Promise<V | undefined> {
    const { type } = this.#table;
    return this.#db.row(
      sql`SELECT ${type.columns} FROM ${this.#name}
        WHERE org_id = ${orgId} ORDER BY version DESC LIMIT 1`,
      type,
    );
  }

  /** @returns false when the version does not follow the newest one. */
  put(added: V, operation: RecordedOperation | undefined): Promise<boolean> {
    const { type, versionsMax } = this.#table;
    const { orgId, version } = added;
    return this.#db.write(
      [
        one(sql`INSERT INTO ${this.#name} (${type.columns}) SELECT ${type.values(added)}
          WHERE ${version} =
            (SELECT coalesce(max(version), 0) + 1 FROM ${this.#name} WHERE org_id = ${orgId})
          ON CONFLICT DO NOTHING`),
        sql`DELETE FROM ${this.#name} WHERE org_id = ${orgId} AND version <= ${version - versionsMax}`,
      ],
      { operation, isOurs: async () => isDeepStrictEqual(await this.latest(orgId), added) },
    );
  }
}
