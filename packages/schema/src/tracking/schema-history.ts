import type { Clock } from "@steward/kernel/clock.js";
import { invalidField } from "@steward/kernel/errors.js";
import { RECORDED_SCHEMAS_KEPT } from "../limits.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import {
  collecting,
  commitNamed,
  type CommitNote,
  commitId,
  iri,
  readCommit,
  schemaBranch,
  TripleStore,
} from "@steward/state";
import type { BlockStore } from "@steward/state/ports";
import { quadsOf, readingSchema } from "../model/quads.js";
import type { Schema } from "../model/schema.js";
import { NAMESPACE } from "../model/vocabulary.js";

/** A recorded schema and its commit. */
export interface RecordedSchema {
  /** Content id of the commit. */
  readonly commit: string;
  readonly schema: Schema;
}

/** Every schema states its engine with this property. */
const DIALECT = iri(`${NAMESPACE}dialect`);

/**
 * The schema of a commit.
 * @param field the request field that named the commit, for the error.
 * @throws AppError `NOT_FOUND` when no such commit exists; `INVALID_ARGUMENT` when it holds no
 * schema.
 */
export function* schemaNamed(
  blocks: BlockStore,
  clock: Clock,
  { field, name }: { readonly field: string; readonly name: string },
): Pausing<Schema> {
  const dataset = new TripleStore(blocks, clock).at(commitNamed(blocks, name));
  if (dataset.count({ predicate: DIALECT }) !== 1) {
    throw invalidField(field, `the commit ${JSON.stringify(name)} holds no database schema`);
  }
  return yield* readingSchema(dataset.match());
}

/**
 * The history of one database's schema: the branch `schemas/<database>`, with one commit per
 * change.
 */
export class SchemaHistory {
  readonly #blocks: BlockStore;
  readonly #store: TripleStore;

  constructor(blocks: BlockStore, clock: Clock, database: string) {
    this.#blocks = blocks;
    this.#store = new TripleStore(blocks, clock, schemaBranch(database));
  }

  /** The recorded schema; undefined when none has been recorded yet. */
  *reading(): Pausing<RecordedSchema | undefined> {
    const { head } = this.#store;
    if (head === undefined) return undefined;
    const commit = commitId(head);
    const known = READ_LAST.get(commit) ?? (yield* readingSchema(this.#store.now.match()));
    return { commit, schema: READ_LAST.getOrMake(commit, () => known) };
  }

  /**
   * Records a schema, unless the last commit holds the same schema. That commit may be from a
   * process that crashed before it could report it.
   * @returns the commit's content id.
   * @throws AppError `STATE_CONFLICT` when another process has recorded a schema meanwhile.
   */
  *recording(schema: Schema, note: CommitNote): Pausing<string> {
    yield* this.#store.replacing(yield* collecting(quadsOf(schema.objects), this.#blocks));
    const { head } = this.#store;
    const isSaid = head !== undefined && readCommit(this.#blocks, head).message === note.message;
    return commitId(isSaid ? this.#store.commitChanges(note) : this.#store.commit(note));
  }
}

/**
 * A cache of schemas by commit. A commit's id is a hash of its content, so cached schemas never
 * become stale. Reading a schema of a thousand tables takes 200 ms.
 */
const READ_LAST = new RecentMap<Schema>(RECORDED_SCHEMAS_KEPT);
