import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type {
  AuditArchive,
  AuditFilter,
  AuditPage,
  AuditRecord,
  ErasedValues,
  PageSize,
} from "../../../audit/ports.js";
import type { TileName } from "../../../audit/index.js";
import { auditRecordOfRow, storedForms, type AuditRecordRow } from "../../audit-rows.js";
import { number } from "../column-values.js";
import type { CommitWriter } from "../commit-writer.js";
import { read, type SqliteValue } from "../connection.js";
import { IS_IN_TIME } from "../reads/read-calls.js";
import { SYSTEM, type StoreReads } from "../reads/store-reads.js";
import { PackedErasure } from "../../derivation/packed-erasure.js";
import { SqliteErasableBlocks } from "./erasable-blocks.js";
import { ENTRY, RECORD_ROWS } from "./record-rows.js";

/** Reads of the audit log in SQLite. */
export class SqliteAuditArchive implements AuditArchive {
  readonly #writer: Pick<CommitWriter, "commit">;
  readonly #db: StoreReads;
  readonly #packed: PackedErasure;

  constructor(writer: Pick<CommitWriter, "commit">, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
    this.#packed = new PackedErasure(new SqliteErasableBlocks(writer, db));
  }

  async list(
    filter: AuditFilter,
    { limit, bytesMax }: PageSize,
    before?: number,
  ): Promise<AuditPage> {
    const { orgId, kind, subject, fromMs, untilMs } = filter;
    const conditions = [`r.org_id = ? AND r.record_index < ? AND ${IS_IN_TIME}`];
    const values: SqliteValue[] = [orgId, before ?? Number.MAX_SAFE_INTEGER];
    const add = (condition: string, ...bound: readonly SqliteValue[]): void => {
      conditions.push(condition);
      values.push(...bound);
    };
    if (subject !== undefined) add("r.subject = ?", subject);
    // The kinds of a group begin with its name and a dot; a slash is the next character after it.
    if (kind !== undefined)
      add("(r.kind = ? OR r.kind >= ? AND r.kind < ?)", kind, `${kind}.`, `${kind}/`);
    if (fromMs !== undefined) add("r.at_ms >= ?", fromMs);
    if (untilMs !== undefined) add("r.at_ms < ?", untilMs);
    const { rows, isCut } = await this.#db.page<AuditRecordRow>(
      orgId,
      bytesMax,
      `SELECT ${RECORD_ROWS} WHERE ${conditions.join(" AND ")} ORDER BY r.record_index DESC LIMIT ?`,
      ...values,
      BigInt(limit),
    );
    return { records: rows.map(auditRecordOfRow), isCut };
  }

  async record(orgId: string, index: number): Promise<AuditRecord | undefined> {
    const row = await this.#db.first<AuditRecordRow>(
      orgId,
      `SELECT ${RECORD_ROWS} WHERE r.org_id = ? AND r.record_index = ?`,
      orgId,
      index,
    );
    return row === undefined ? undefined : auditRecordOfRow(row);
  }

  async entries(from: number, count: number): Promise<readonly string[]> {
    const rows = await this.#db.all<Pick<AuditRecordRow, "entry">>(
      SYSTEM,
      `SELECT ${ENTRY} AS entry FROM audit_records AS r
         LEFT JOIN audit_entries AS e USING (record_index)
       WHERE r.record_index >= ? AND r.record_index < ? ORDER BY r.record_index`,
      from,
      from + count,
    );
    return rows.map(({ entry }) => entry);
  }

  async tiles(names: readonly TileName[]): Promise<readonly Buffer[]> {
    const [first, ...others] = names.map(({ level, index }) => ({
      sql: "SELECT hashes FROM audit_tiles WHERE org_id = ? AND level = ? AND tile_index = ?",
      params: [NIL_ORG_ID, Number(level), index],
    }));
    if (first === undefined) return [];
    // One alone is a row by its key: a start reads one, and needs no thread for it.
    const rows =
      others.length === 0
        ? [this.#db.get(first.sql, ...first.params)]
        : (await this.#db.together(SYSTEM, [first, ...others])).map(([row]) => row);
    // The column holds a blob.
    return rows.map((row) => Buffer.from((row?.["hashes"] ?? NONE) as Uint8Array));
  }

  checkpoint(): Promise<{ readonly size: number; readonly note: string }> {
    return read(() => {
      const row = this.#db.get("SELECT size, checkpoint FROM audit_tree");
      return { size: number(row?.["size"] ?? 0), note: String(row?.["checkpoint"] ?? "") };
    });
  }

  async erase(orgId: string, which: ErasedValues, limit: number): Promise<number> {
    // A record that is packed meanwhile is found in its block.
    const erased = await this.#eraseRows(orgId, which, limit);
    if (erased === limit) return erased;
    return erased + (await this.#packed.erase(orgId, which, limit - erased));
  }

  async #eraseRows(
    orgId: string,
    { untilMs, subjects, text }: ErasedValues,
    limit: number,
  ): Promise<number> {
    const [value, nested] = text === undefined ? [null, null] : storedForms(text);
    const found = await this.#db.all<{ readonly record_index: number }>(
      orgId,
      `SELECT v.record_index FROM audit_personal_values AS v JOIN audit_records AS r USING (record_index)
       WHERE r.org_id = ?1 AND r.at_ms <= ?2
         AND (?3 IS NULL OR r.subject IN (SELECT value FROM json_each(?3)))
         AND (?4 IS NULL OR instr(v.personal_values, ?4) > 0 OR instr(v.personal_values, ?5) > 0)
       LIMIT ?6`,
      orgId,
      untilMs,
      subjects === undefined ? null : JSON.stringify(subjects),
      value,
      nested,
      BigInt(limit),
    );
    await this.#writer.commit(
      found.map(({ record_index: index }) => ({
        sql: "DELETE FROM audit_personal_values WHERE record_index = ?",
        params: [index],
      })),
    );
    return found.length;
  }
}

const NONE = new Uint8Array();
