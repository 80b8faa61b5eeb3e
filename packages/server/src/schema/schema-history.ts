import type { Clock } from "../kernel/clock.js";
import { invalidField } from "../kernel/errors.js";
import {
  type BlockStore,
  commitNamed,
  type CommitNote,
  commitId,
  iri,
  TripleStore,
} from "../state/index.js";
import { quadsOf, schemaOf } from "./quads.js";
import type { Schema } from "./schema.js";
import { NAMESPACE } from "./vocabulary.js";

/** A schema as it was recorded. */
export interface RecordedSchema {
  /** Content id of the commit. */
  readonly commit: string;
  readonly schema: Schema;
}

/** Every schema says of which engine it is. */
const DIALECT = iri(`${NAMESPACE}dialect`);

/**
 * The schema of a commit.
 * @param field who named the commit, for the error.
 * @throws AppError `NOT_FOUND` when there is none of this name, `INVALID_ARGUMENT` when it holds no schema.
 */
export function schemaNamed(
  blocks: BlockStore,
  clock: Clock,
  { field, name }: { readonly field: string; readonly name: string },
): Schema {
  const dataset = new TripleStore(blocks, clock).at(commitNamed(blocks, name));
  if (dataset.count({ predicate: DIALECT }) !== 1) {
    throw invalidField(field, `the commit ${JSON.stringify(name)} holds no database schema`);
  }
  return schemaOf(dataset.match());
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
