import type { Clock } from "../kernel/clock.js";
import { AppError } from "../kernel/errors.js";
import { isUuid } from "../kernel/ids.js";
import type { Pausing } from "../kernel/pausing.js";
import {
  type BlockStore,
  type CommitNote,
  iri,
  MIGRATIONS_BRANCH,
  quad,
  text,
  TripleStore,
} from "../state/index.js";
import type { Migration } from "./migration.js";

const DOCUMENT = iri("urn:steward:schema#document");
const PREFIX = "urn:steward:migration:";

/** Migrations of one organization, kept in its state: the branch `migrations`. */
export class MigrationRecords {
  readonly #store: TripleStore;

  constructor(blocks: BlockStore, clock: Clock) {
    this.#store = new TripleStore(blocks, clock, MIGRATIONS_BRANCH);
  }

  /** @throws AppError `NOT_FOUND`. */
  get(id: string): Migration {
    // Not every text can be part of an IRI.
    const [found] = isUuid(id)
      ? this.#store.now.match({ subject: iri(PREFIX + id), predicate: DOCUMENT })
      : [];
    if (found === undefined) {
      throw new AppError("NOT_FOUND", `There is no migration ${JSON.stringify(id)}`);
    }
    return read(found.object.value);
  }

  /** Every migration, the newest first. */
  list(): readonly Migration[] {
    const all = [...this.#store.now.match({ predicate: DOCUMENT })];
    return all
      .map(({ object }) => read(object.value))
      .sort((a, b) => b.proposedAtMs - a.proposedAtMs);
  }

  /** Keeps a migration as it is now. Durable when it returns. */
  *putting(migration: Migration, note: CommitNote): Pausing<void> {
    const subject = iri(PREFIX + migration.id);
    const document = text(JSON.stringify(migration));
    yield;
    // Both at once and without a journal: after a death on the way the old one is still there.
    this.#store.unload(this.#store.now.match({ subject, predicate: DOCUMENT }));
    yield;
    this.#store.load([quad(subject, DOCUMENT, document)]);
    yield;
    this.#store.commit(note);
  }
}

function read(document: string): Migration {
  // Written above, and checked by its hash since.
  return JSON.parse(document) as Migration;
}
