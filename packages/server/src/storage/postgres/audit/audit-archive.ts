import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { TileName } from "../../../audit/index.js";
import type { AuditArchive, AuditFilter, AuditRecord, ErasedValues } from "../../../audit/ports.js";
import { auditRecordOfRow, storedForms, type AuditRecordRow } from "../../audit-rows.js";
import type { Database, PgValue } from "../database.js";

const COLUMNS = `r.record_index, r.org_id, r.entry, v.salt, v.personal_values
  FROM audit_records AS r LEFT JOIN audit_personal_values AS v
    ON v.org_id = $1 AND v.record_index = r.record_index`;

/** Reads of the audit log in PostgreSQL. */
export class PostgresAuditArchive implements AuditArchive {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async list(filter: AuditFilter, limit: number, before?: number): Promise<readonly AuditRecord[]> {
    const { orgId, kind, subject, fromMs, untilMs } = filter;
    const values: PgValue[] = [orgId, before ?? Number.MAX_SAFE_INTEGER];
    const conditions = ["r.record_index < $2"];
    const bind = (value: PgValue): string => `$${String(values.push(value))}`;
    if (subject !== undefined) conditions.push(`r.subject = ${bind(subject)}`);
    if (kind !== undefined) {
      // The kinds of a group begin with its name and a dot; a slash is the next character after it.
      const [group, end] = [bind(`${kind}.`), bind(`${kind}/`)];
      conditions.push(`(r.kind = ${bind(kind)} OR r.kind >= ${group} AND r.kind < ${end})`);
    }
    if (fromMs !== undefined) conditions.push(`r.at_ms >= ${bind(fromMs)}`);
    if (untilMs !== undefined) conditions.push(`r.at_ms < ${bind(untilMs)}`);
    const rows = await this.#db.query<AuditRecordRow>(
      `SELECT ${COLUMNS} WHERE r.org_id = $1 AND ${conditions.join(" AND ")}
       ORDER BY r.record_index DESC LIMIT ${bind(limit)}`,
      values,
    );
    return rows.map(auditRecordOfRow);
  }

  async record(orgId: string, index: number): Promise<AuditRecord | undefined> {
    const [row] = await this.#db.query<AuditRecordRow>(
      `SELECT ${COLUMNS} WHERE r.org_id = $1 AND r.record_index = $2`,
      [orgId, index],
    );
    return row === undefined ? undefined : auditRecordOfRow(row);
  }

  async entries(from: number, count: number): Promise<readonly string[]> {
    const rows = await this.#db.query<{ readonly entry: string }>(
      `SELECT entry FROM audit_records WHERE record_index >= $1 AND record_index < $2
       ORDER BY record_index`,
      [from, from + count],
    );
    return rows.map(({ entry }) => entry);
  }

  async tiles(names: readonly TileName[]): Promise<readonly Buffer[]> {
    const rows = await this.#db.query<{ readonly place: number; readonly hashes: Uint8Array }>(
      `SELECT w.place, t.hashes
       FROM unnest($2::integer[], $3::bigint[]) WITH ORDINALITY AS w (level, tile, place)
       JOIN audit_tiles AS t ON t.org_id = $1 AND t.level = w.level AND t.tile_index = w.tile`,
      [NIL_ORG_ID, names.map(({ level }) => Number(level)), names.map(({ index }) => index)],
    );
    const found = new Map(rows.map(({ place, hashes }) => [place, Buffer.from(hashes)]));
    return names.map((_name, at) => found.get(at + 1) ?? Buffer.alloc(0));
  }

  async checkpoint(): Promise<{ readonly size: number; readonly note: string }> {
    const [row] = await this.#db.query<{ readonly size: number; readonly note: string }>(
      "SELECT size, checkpoint AS note FROM audit_tree WHERE org_id = $1",
      [NIL_ORG_ID],
    );
    return row ?? { size: 0, note: "" };
  }

  async erase(
    orgId: string,
    { untilMs, subjects, text }: ErasedValues,
    limit: number,
  ): Promise<number> {
    const [value, nested] = text === undefined ? [null, null] : storedForms(text);
    const rows = await this.#db.query(
      `DELETE FROM audit_personal_values WHERE org_id = $1 AND record_index IN (
         SELECT v.record_index FROM audit_personal_values AS v JOIN audit_records AS r
           ON r.org_id = $1 AND r.record_index = v.record_index
         WHERE v.org_id = $1 AND r.at_ms <= $2 AND ($3::text[] IS NULL OR r.subject = ANY ($3::text[]))
           AND ($4::text IS NULL OR strpos(v.personal_values, $4) > 0 OR strpos(v.personal_values, $5) > 0)
         LIMIT $6)
       RETURNING record_index`,
      [orgId, untilMs, subjects ?? null, value, nested, limit],
    );
    return rows.length;
  }
}
