import { isDeepStrictEqual } from "node:util";
import type { TextVersion, TextVersionTable } from "../../text-version.js";
import type { Database } from "../database.js";
import { settled } from "../settled.js";

/** A version, as the driver returns it. */
interface VersionRow {
  readonly version: number;
  readonly text: string;
  readonly changed_by: string;
  readonly changed_at_ms: number;
}

/** The versions of a text, for each organization. */
export class PostgresTextVersions {
  readonly #db: Database;
  readonly #table: TextVersionTable;

  constructor(db: Database, table: TextVersionTable) {
    this.#db = db;
    this.#table = table;
  }

  async latest(orgId: string): Promise<TextVersion | undefined> {
    const { table, column } = this.#table;
    const [row] = await this.#db.query<VersionRow>(
      `SELECT version, ${column} AS text, changed_by, changed_at_ms FROM ${table}
       WHERE org_id = $1 ORDER BY version DESC LIMIT 1`,
      [orgId],
    );
    if (row === undefined) return undefined;
    const { version, text, changed_by: changedBy, changed_at_ms: changedAtMs } = row;
    return { orgId, version, text, changedBy, changedAtMs };
  }

  /**
   * Adds a version. When the answer of the commit is lost, the newest version tells whether it took
   * effect.
   * @returns false when the version does not follow the newest one.
   */
  put(added: TextVersion): Promise<boolean> {
    const isOurs = async (): Promise<boolean> =>
      isDeepStrictEqual(await this.latest(added.orgId), added);
    return settled(
      async (isUnsure) => (await this.#insert(added)) || (isUnsure && (await isOurs())),
      async () => (await isOurs()) || undefined,
    );
  }

  #insert({ orgId, version, text, changedBy, changedAtMs }: TextVersion): Promise<boolean> {
    const { table, column, versionsMax } = this.#table;
    return this.#db.effect(async (connection) => {
      const [{ latest } = { latest: 0 }] = await connection.query<{ readonly latest: number }>(
        `SELECT coalesce(max(version), 0) AS latest FROM ${table} WHERE org_id = $1`,
        [orgId],
      );
      if (version !== latest + 1) return false;
      const inserted = await connection.query(
        `INSERT INTO ${table} (org_id, version, ${column}, changed_by, changed_at_ms)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING version`,
        [orgId, version, text, changedBy, changedAtMs],
      );
      if (inserted.length === 0) return false;
      const old = `DELETE FROM ${table} WHERE org_id = $1 AND version <= $2`;
      await connection.query(old, [orgId, version - versionsMax]);
      return true;
    });
  }
}
