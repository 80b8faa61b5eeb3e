import type { RecordedOperation } from "../../kernel/recorded-operation.js";
import type { ErasedCounts, Erasure, ErasureScope } from "../../retention/index.js";
import type { ErasureStore } from "../../retention/ports.js";
import { integer, optional, rowType, text, uuid } from "./row-type.js";
import { sql } from "./sql.js";
import { always, NO_PARTY, type SqlStore } from "./sql-store.js";

/** A row of `erasures`. */
interface StoredErasure extends Omit<Erasure, "counts"> {
  readonly planCount: number;
  readonly entryCount: number;
  readonly usageCount: number;
}

const ERASURE = rowType<StoredErasure>({
  orgId: uuid,
  erasureId: uuid,
  scope: text<ErasureScope>(),
  subject: text(),
  subjectDigest: text(),
  requestedBy: text(),
  requestedAtMs: integer,
  finishedAtMs: optional(integer),
  planCount: integer,
  entryCount: integer,
  usageCount: integer,
});

/** Requests to erase, and their receipts. */
export class SqlErasures implements ErasureStore {
  readonly #db: SqlStore;

  constructor(db: SqlStore) {
    this.#db = db;
  }

  async begin({ counts, ...erasure }: Erasure, operation?: RecordedOperation): Promise<void> {
    const { plans: planCount, entries: entryCount, usage: usageCount } = counts;
    const row = { ...erasure, planCount, entryCount, usageCount };
    const insert = sql`INSERT INTO erasures (${ERASURE.columns}) VALUES (${ERASURE.values(row)})
      ON CONFLICT DO NOTHING`;
    await this.#db.write([insert], { operation, isOurs: always });
  }

  async list(orgId: string, limit: number): Promise<readonly Erasure[]> {
    const query = sql`SELECT ${ERASURE.columns} FROM erasures
      WHERE org_id = ${orgId} ORDER BY erasure_id DESC LIMIT ${limit}`;
    return (await this.#db.rows(orgId, query, ERASURE)).map(erasureOf);
  }

  async unfinished(): Promise<readonly Erasure[]> {
    const query = sql`SELECT ${ERASURE.columns} FROM erasures
      WHERE finished_at_ms IS NULL ORDER BY erasure_id`;
    return (await this.#db.rows(NO_PARTY, query, ERASURE)).map(erasureOf);
  }

  async count({ orgId, erasureId }: Erasure, deleted: ErasedCounts): Promise<void> {
    const { plans, entries, usage } = deleted;
    await this.#db.write([
      sql`UPDATE erasures SET plan_count = plan_count + ${plans},
          entry_count = entry_count + ${entries}, usage_count = usage_count + ${usage}
        WHERE org_id = ${orgId} AND erasure_id = ${erasureId}`,
    ]);
  }

  async finish(
    { orgId, erasureId }: Erasure,
    finishedAtMs: number,
    operation?: RecordedOperation,
  ): Promise<void> {
    const update = sql`UPDATE erasures SET finished_at_ms = ${finishedAtMs}
      WHERE org_id = ${orgId} AND erasure_id = ${erasureId} AND finished_at_ms IS NULL`;
    await this.#db.write([update], { operation, isOurs: always });
  }
}

function erasureOf({ planCount, entryCount, usageCount, ...row }: StoredErasure): Erasure {
  return { ...row, counts: { plans: planCount, entries: entryCount, usage: usageCount } };
}
