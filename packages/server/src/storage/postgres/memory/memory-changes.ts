import type { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import type { VectorIndex } from "../../../memory/index.js";
import type { Database } from "../database.js";
import { indexEntryOf } from "./memory-index-source.js";
import { FIRST_ID, LAST_ID } from "./memory-rows.js";

/** Changes of one organization that are read at once. */
const CHANGES_MAX = 2000;
/** Organizations that are read at once. */
const ORGANIZATIONS_MAX = 5000;

/** The part of an index that applies changes of the store. */
export type FollowingIndex = Pick<VectorIndex, "add" | "remove">;

/** The last change of an organization that an index has applied. */
interface Place {
  readonly sequence: number;
  readonly entryId: string;
}

/** An added entry, or a deleted one, which has no code any more. */
interface ChangeRow {
  readonly org_id: string;
  readonly entry_id: string;
  readonly created_at_ms: number;
  readonly code: Uint8Array | null;
  readonly change_sequence: number;
}

/** An organization and the number of its newest change. */
interface OrganizationChange {
  readonly orgId: string;
  readonly sequence: number;
}

/**
 * The changes of every organization's memory, each read once. The changes of one organization
 * become visible in the order of their numbers (`memory_sequences`), so no change is committed
 * behind a position that was already read. Numbers of different organizations are unrelated.
 */
export class MemoryChanges {
  readonly #db: Database;
  readonly #modelId: number;
  readonly #places = new Map<string, Place>();

  /** @param modelId the model whose vectors are read. */
  constructor(db: Database, modelId: number) {
    this.#db = db;
    this.#modelId = modelId;
  }

  /** Skips every change that is committed by now. */
  async skip(): Promise<void> {
    for await (const page of this.#changed(Number.MAX_SAFE_INTEGER)) {
      for (const { orgId, sequence } of page) {
        this.#places.set(orgId, { sequence, entryId: LAST_ID });
      }
    }
  }

  /**
   * Updates an index with the organizations whose newest change is at most this old. The age counts
   * from the start of the change's write, so a change that is committed later than `withinMs` after
   * that is found only with a greater age. An organization that cannot be read is set aside.
   */
  async readAll(withinMs: number, index: FollowingIndex, setAside: SetAside): Promise<void> {
    for await (const page of this.#changed(withinMs)) {
      const unread = page.filter(({ orgId, sequence }) => this.#placeOf(orgId).sequence < sequence);
      await setAside.each(unread, idOf, async ({ orgId, sequence }) => {
        await this.read(orgId, index);
        // Changes without vectors of this model leave no row to read.
        if (this.#placeOf(orgId).sequence < sequence) {
          this.#places.set(orgId, { sequence, entryId: LAST_ID });
        }
      });
    }
  }

  /**
   * Updates an index with one organization. After an error the same changes are read again the next
   * time.
   */
  async read(orgId: string, index: FollowingIndex): Promise<void> {
    for (;;) {
      const rows = await this.#rowsAfter(orgId, this.#placeOf(orgId));
      const last = rows.at(-1);
      if (last === undefined) return;
      const added = rows.flatMap(({ code, ...row }) =>
        code === null ? [] : [indexEntryOf({ ...row, code })],
      );
      const deleted = rows.filter(({ code }) => code === null).map((row) => row.entry_id);
      if (added.length > 0) await index.add(added);
      if (deleted.length > 0) await index.remove(deleted);
      const isCut = rows.length === CHANGES_MAX;
      this.#places.set(orgId, {
        sequence: last.change_sequence,
        entryId: isCut ? last.entry_id : LAST_ID,
      });
      if (!isCut) return;
    }
  }

  #placeOf(orgId: string): Place {
    return this.#places.get(orgId) ?? { sequence: 0, entryId: LAST_ID };
  }

  /** One statement, so that an entry is never read both as added and as deleted. */
  #rowsAfter(orgId: string, place: Place): Promise<readonly ChangeRow[]> {
    return this.#db.query<ChangeRow>(
      `SELECT v.org_id, v.entry_id, v.created_at_ms, c.code, v.change_sequence
       FROM memory_entry_vectors AS v
       JOIN memory_vectors AS c ON c.org_id = $1 AND c.model_id = $2 AND c.sha256 = v.sha256
       WHERE v.org_id = $1 AND v.model_id = $2 AND (v.change_sequence, v.entry_id) > ($3, $4)
       UNION ALL
       SELECT d.org_id, d.entry_id, d.deleted_at_ms, NULL, d.change_sequence
       FROM memory_deletions AS d
       WHERE d.org_id = $1 AND (d.change_sequence, d.entry_id) > ($3, $4)
       ORDER BY change_sequence, entry_id LIMIT $5`,
      [orgId, this.#modelId, place.sequence, place.entryId, CHANGES_MAX],
    );
  }

  async *#changed(withinMs: number): AsyncGenerator<readonly OrganizationChange[]> {
    let after = FIRST_ID;
    for (;;) {
      const rows = await this.#db.query<OrganizationChange>(
        `SELECT org_id AS "orgId", last_sequence AS sequence FROM memory_sequences
         WHERE changed_at_ms >= steward_now_ms() - $1::bigint AND org_id > $2
         ORDER BY org_id LIMIT $3`,
        [withinMs, after, ORGANIZATIONS_MAX],
      );
      yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < ORGANIZATIONS_MAX) return;
      after = last.orgId;
    }
  }
}

function idOf({ orgId }: OrganizationChange): string {
  return orgId;
}
