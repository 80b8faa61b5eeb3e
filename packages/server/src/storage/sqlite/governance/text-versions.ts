import type { TextVersion, TextVersionTable } from "../../text-version.js";
import { number, text as textOf } from "../column-values.js";
import { WriteConflict, type CommitWriter } from "../commit-writer.js";
import { read } from "../connection.js";
import type { StoreReads } from "../reads/store-reads.js";

/** The versions of a text, for each organization. */
export class SqliteTextVersions {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;
  readonly #table: TextVersionTable;

  constructor(writer: CommitWriter, db: StoreReads, table: TextVersionTable) {
    this.#writer = writer;
    this.#db = db;
    this.#table = table;
  }

  latest(orgId: string): Promise<TextVersion | undefined> {
    const { table, column } = this.#table;
    return read(() => {
      const row = this.#db.get(
        `SELECT version, ${column} AS text, changed_by, changed_at_ms FROM ${table}
         WHERE org_id = ? ORDER BY version DESC LIMIT 1`,
        orgId,
      );
      if (row === undefined) return undefined;
      return {
        orgId,
        version: number(row["version"]),
        text: textOf(row["text"]),
        changedBy: textOf(row["changed_by"]),
        changedAtMs: number(row["changed_at_ms"]),
      };
    });
  }

  /** @returns false when the version does not follow the newest one. */
  async put({ orgId, version, text, changedBy, changedAtMs }: TextVersion): Promise<boolean> {
    const { table, column, versionsMax } = this.#table;
    try {
      await this.#writer.commitEffect([
        {
          sql: `INSERT INTO ${table} (org_id, version, ${column}, changed_by, changed_at_ms)
                SELECT ?1, ?2, ?3, ?4, ?5
                WHERE ?2 = (SELECT coalesce(max(version), 0) + 1 FROM ${table} WHERE org_id = ?1)`,
          params: [orgId, version, text, changedBy, changedAtMs],
          expect: 1,
        },
        {
          sql: `DELETE FROM ${table} WHERE org_id = ? AND version <= ?`,
          params: [orgId, version - versionsMax],
        },
      ]);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }
}
