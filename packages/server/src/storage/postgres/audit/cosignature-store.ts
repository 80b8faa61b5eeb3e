import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { CosignatureStore, CosignedCheckpoint } from "../../../audit/witnesses/index.js";
import type { Database } from "../database.js";

/** The cosigned checkpoints of the audit log in PostgreSQL. */
export class PostgresCosignatureStore implements CosignatureStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  list(): Promise<readonly CosignedCheckpoint[]> {
    return this.#db.query<CosignedRow>(
      "SELECT witness, size, note FROM audit_cosignatures WHERE org_id = $1 ORDER BY witness",
      [NIL_ORG_ID],
    );
  }

  async put({ witness, size, note }: CosignedCheckpoint): Promise<void> {
    await this.#db.query(
      `INSERT INTO audit_cosignatures AS c (org_id, witness, size, note) VALUES ($1, $2, $3, $4)
       ON CONFLICT (org_id, witness) DO UPDATE SET size = excluded.size, note = excluded.note
         WHERE excluded.size >= c.size`,
      [NIL_ORG_ID, witness, size, note],
    );
  }
}

/** A row as the driver returns it. */
type CosignedRow = { readonly witness: string; readonly size: number; readonly note: string };
