import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { CosignatureStore, CosignedCheckpoint } from "../../../audit/witnesses/index.js";
import type { CommitWriter } from "../commit-writer.js";
import { SYSTEM, type StoreReads } from "../reads/store-reads.js";

/** The cosigned checkpoints of the audit log in SQLite. */
export class SqliteCosignatureStore implements CosignatureStore {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;

  constructor(writer: CommitWriter, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
  }

  list(): Promise<readonly CosignedCheckpoint[]> {
    return this.#db.all<CosignedRow>(
      SYSTEM,
      "SELECT witness, size, note FROM audit_cosignatures WHERE org_id = ? ORDER BY witness",
      NIL_ORG_ID,
    );
  }

  async put({ witness, size, note }: CosignedCheckpoint): Promise<void> {
    await this.#writer.commit([
      {
        sql: `INSERT INTO audit_cosignatures (org_id, witness, size, note) VALUES (?, ?, ?, ?)
              ON CONFLICT (org_id, witness) DO UPDATE SET size = excluded.size, note = excluded.note
                WHERE excluded.size >= size`,
        params: [NIL_ORG_ID, witness, size, note],
      },
    ]);
  }
}

/** A row as SQLite returns it. */
type CosignedRow = { readonly witness: string; readonly size: number; readonly note: string };
