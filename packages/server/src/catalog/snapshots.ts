import type { BatchEmbeddingProvider } from "../embedding/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import { KeyedMutex } from "@steward/kernel/concurrency/keyed-mutex.js";
import { CATALOG_SNAPSHOTS_MAX } from "./limits.js";
import type { Log } from "@steward/kernel/log.js";
import { withPauses } from "@steward/kernel/concurrency/pausing.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { Schema } from "@steward/schema";
import type { CatalogSchemas, SourceNotes } from "./ports.js";
import { SchemaSnapshot } from "./schema-snapshot.js";
import { embedTables, type TableVectors } from "./search/table-vectors.js";

/** A snapshot, and the vectors of its tables as far as they have been made. */
export interface KnownSource {
  readonly dataSource: string;
  readonly snapshot: SchemaSnapshot;
  readonly vectors: TableVectors;
}

interface Entry {
  schema: Schema;
  snapshot: SchemaSnapshot;
  vectors: TableVectors;
  /** The version whose vectors are made or being made. */
  embedding: Promise<void> | undefined;
}

export interface SnapshotsParts {
  readonly schemas: CatalogSchemas;
  /** By data source. */
  readonly notes: ReadonlyMap<string, SourceNotes>;
  readonly provider: BatchEmbeddingProvider;
  readonly log: Log;
}

/** How long a search waits for the vectors of a schema that has just been read, in ms. */
const VECTORS_WAIT_MS = 1000;

/**
 * A cache of snapshots by organization and data source: values that one organization read are never
 * searched by another one. A snapshot is replaced when its schema has been read again and differs.
 */
export class Snapshots implements AsyncDisposable {
  readonly #parts: SnapshotsParts;
  readonly #entries = new RecentMap<Entry>(CATALOG_SNAPSHOTS_MAX);
  readonly #mutex = new KeyedMutex();
  readonly #closing = new AbortController();

  constructor(parts: SnapshotsParts) {
    this.#parts = parts;
  }

  /** The current snapshot of a data source; undefined while its schema cannot be read. */
  async of(caller: Caller, dataSource: string): Promise<KnownSource | undefined> {
    const key = `${caller.orgId} ${dataSource}`;
    const entry = await this.#mutex.runExclusive(key, () => this.#entry(key, caller, dataSource));
    if (entry === undefined) return undefined;
    await Promise.race([entry.embedding, afterMs(VECTORS_WAIT_MS)]);
    return { dataSource, snapshot: entry.snapshot, vectors: entry.vectors };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#mutex[Symbol.asyncDispose]();
  }

  async #entry(key: string, caller: Caller, dataSource: string): Promise<Entry | undefined> {
    const schema = await this.#parts.schemas.of(caller, dataSource);
    const known = this.#entries.get(key);
    if (schema === undefined || known?.schema === schema) return known;
    const notes = this.#parts.notes.get(dataSource);
    const snapshot = await withPauses(SchemaSnapshot.of(schema, notes, known?.snapshot));
    if (known?.snapshot === snapshot) {
      known.schema = schema;
      return known;
    }
    const vectors = known?.vectors ?? new Map<string, Float32Array>();
    const entry: Entry = { schema, snapshot, vectors, embedding: undefined };
    entry.embedding = this.#embed(entry, dataSource);
    this.#entries.set(key, entry);
    return entry;
  }

  /** Without vectors, tables are found by words alone. */
  async #embed(entry: Entry, dataSource: string): Promise<void> {
    const { provider, log } = this.#parts;
    try {
      const { tables } = entry.snapshot;
      entry.vectors = await embedTables(tables, provider, entry.vectors, this.#closing.signal);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      log.warn({ err: error, dataSource }, "tables cannot be embedded now; words alone find them");
    } finally {
      entry.embedding = undefined;
    }
  }
}

function afterMs(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
