import type { Clock } from "../kernel/clock.js";
import { type BlockStore, type CommitNote, commitId, TripleStore } from "../state/index.js";
import { quadsOf, schemaOf } from "./quads.js";
import type { Schema } from "./schema.js";

/** A schema as it was recorded. */
export interface RecordedSchema {
  /** Content id of the commit. */
  readonly commit: string;
  readonly schema: Schema;
}

/** The history of one database's schema: the branch `schemas/<database>`, one commit per change. */
export class SchemaHistory {
  readonly #store: TripleStore;

  constructor(blocks: BlockStore, clock: Clock, database: string) {
    this.#store = new TripleStore(blocks, clock, `schemas/${database}`);
  }

  /** The schema as it was left; undefined when nobody has recorded it yet. */
  get head(): RecordedSchema | undefined {
    const { head } = this.#store;
    if (head === undefined) return undefined;
    return { commit: commitId(head), schema: schemaOf(this.#store.now.match()) };
  }

  /**
   * Records the schema as it is now. @returns the commit's content id.
   * @throws AppError `STATE_CONFLICT` when somebody else has recorded one meanwhile.
   */
  record(schema: Schema, note: CommitNote): string {
    this.#store.replace(quadsOf(schema));
    return commitId(this.#store.commit(note));
  }
}
