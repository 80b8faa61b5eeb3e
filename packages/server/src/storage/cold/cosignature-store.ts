import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { CosignatureStore, CosignedCheckpoint } from "../../audit/witnesses/index.js";
import { integer, rowType, text } from "./row-type.js";
import { sql } from "./sql.js";
import { NO_PARTY, type SqlStore } from "./sql-store.js";

const COSIGNED = rowType<CosignedCheckpoint>({ witness: text(), size: integer, note: text() });

/** The cosigned checkpoints of the audit log. */
export class SqlCosignatureStore implements CosignatureStore {
  readonly #db: SqlStore;

  constructor(db: SqlStore) {
    this.#db = db;
  }

  list(): Promise<readonly CosignedCheckpoint[]> {
    const query = sql`SELECT ${COSIGNED.columns} FROM audit_cosignatures
      WHERE org_id = ${NIL_ORG_ID} ORDER BY witness`;
    return this.#db.rows(NO_PARTY, query, COSIGNED);
  }

  async put(checkpoint: CosignedCheckpoint): Promise<void> {
    await this.#db.write([
      sql`INSERT INTO audit_cosignatures AS c (org_id, ${COSIGNED.columns})
        VALUES (${NIL_ORG_ID}, ${COSIGNED.values(checkpoint)})
        ON CONFLICT (org_id, witness) DO UPDATE SET size = excluded.size, note = excluded.note
          WHERE excluded.size >= c.size`,
    ]);
  }
}
