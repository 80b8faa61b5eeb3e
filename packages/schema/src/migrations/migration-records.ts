import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { isUuid } from "@steward/kernel/ids.js";
import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import { type CommitNote, iri, MIGRATIONS_BRANCH, quad, text, TripleStore } from "@steward/state";
import type { BlockStore } from "@steward/state/ports";
import type { Migration } from "./migration.js";

const DOCUMENT = iri("urn:steward:schema#document");
const PREFIX = "urn:steward:migration:";

/** The migrations of one organization, stored on the branch `migrations` of its state. */
export class MigrationRecords {
  readonly #store: TripleStore;

  constructor(blocks: BlockStore, clock: Clock) {
    this.#store = new TripleStore(blocks, clock, MIGRATIONS_BRANCH);
  }

  /** @throws AppError `NOT_FOUND`. */
  get(id: string): Migration {
    // Only a UUID is looked up, because not every text can be part of an IRI.
    const [found] = isUuid(id)
      ? this.#store.now.match({ subject: iri(PREFIX + id), predicate: DOCUMENT })
      : [];
    if (found === undefined) {
      throw new AppError("NOT_FOUND", `There is no migration ${JSON.stringify(id)}`);
    }
    return read(found.object.value);
  }

  /** All migrations, the newest first. */
  list(): readonly Migration[] {
    const all = [...this.#store.now.match({ predicate: DOCUMENT })];
    return all
      .map(({ object }) => read(object.value))
      .sort((a, b) => b.proposedAtMs - a.proposedAtMs);
  }

  /** Stores the current version of a migration. Durable when it returns. */
  *putting(migration: Migration, note: CommitNote): Pausing<void> {
    const subject = iri(PREFIX + migration.id);
    const document = text(JSON.stringify(migration));
    yield;
    // The old document is replaced and the new one added in one commit, so a crash leaves either
    // the old or the new document.
    this.#store.unload(this.#store.now.match({ subject, predicate: DOCUMENT }));
    yield;
    this.#store.load([quad(subject, DOCUMENT, document)]);
    yield;
    this.#store.commit(note);
  }
}

function read(document: string): Migration {
  // The document was written by this class, and its hash was checked when it was read.
  return JSON.parse(document) as Migration;
}
