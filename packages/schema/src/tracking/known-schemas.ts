import type { Clock } from "@steward/kernel/clock.js";
import type { Log } from "@steward/kernel/log.js";
import { KeyedMutex } from "@steward/kernel/concurrency/keyed-mutex.js";
import type {
  Checks,
  RunOrder,
  RunOutcome,
  SchemaDatabase,
  ScratchDatabase,
  Script,
  UnfinishedRun,
} from "../ports.js";
import type { Dialect, Schema } from "../model/schema.js";

/** How long a schema is cached after it was read, in ms. */
const KNOWN_MS = 60_000;

interface Known {
  readonly schema: Schema | undefined;
  readonly atMs: number;
}

export interface KnownSchemasParts {
  readonly databases: ReadonlyMap<string, SchemaDatabase>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * A cache of the data sources' schemas. A migration reads the schema anyway, which refreshes the
 * cache. Callers that only look up names use the cached schema for up to a minute.
 */
export class KnownSchemas {
  /** The databases, wrapped so that every schema read through them refreshes the cache. */
  readonly databases: ReadonlyMap<string, SchemaDatabase>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #known = new Map<string, Known>();
  readonly #mutex = new KeyedMutex();

  constructor({ databases, clock, log }: KnownSchemasParts) {
    this.#clock = clock;
    this.#log = log;
    this.databases = new Map(
      [...databases].map(([name, database]) => [
        name,
        new WatchedDatabase(database, (schema) => this.#learn(name, schema)),
      ]),
    );
  }

  /**
   * The schemas of those databases that can be read.
   * @param names keys of the databases.
   */
  async of(names: readonly string[]): Promise<readonly Schema[]> {
    const schemas = await Promise.all(names.map((name) => this.#schema(name)));
    return schemas.filter((schema) => schema !== undefined);
  }

  #schema(name: string): Promise<Schema | undefined> {
    return this.#mutex.runExclusive(name, async () => {
      const known = this.#known.get(name);
      if (known !== undefined && this.#clock.nowMs() - known.atMs < KNOWN_MS) return known.schema;
      try {
        await this.databases.get(name)?.introspect();
      } catch (error) {
        this.#log.warn({ err: error, dataSource: name }, "a schema cannot be read now");
        // A failure is cached too, so that an unreachable database is not queried for every lookup.
        this.#learn(name, known?.schema);
      }
      return this.#known.get(name)?.schema;
    });
  }

  #learn(name: string, schema: Schema | undefined): void {
    this.#known.set(name, { schema, atMs: this.#clock.nowMs() });
  }
}

/** A database that reports every schema read from it. */
class WatchedDatabase implements SchemaDatabase {
  readonly #database: SchemaDatabase;
  readonly #onRead: (schema: Schema) => void;

  constructor(database: SchemaDatabase, onRead: (schema: Schema) => void) {
    this.#database = database;
    this.#onRead = onRead;
  }

  get name(): string {
    return this.#database.name;
  }

  get dialect(): Dialect {
    return this.#database.dialect;
  }

  async introspect(): Promise<Schema> {
    const schema = await this.#database.introspect();
    this.#onRead(schema);
    return schema;
  }

  introspectSettled(): Promise<Schema> {
    return this.#database.introspectSettled();
  }

  unfinishedRun(): Promise<UnfinishedRun | undefined> {
    return this.#database.unfinishedRun();
  }

  forgetRun(run: UnfinishedRun): Promise<void> {
    return this.#database.forgetRun(run);
  }

  async apply(script: Script, checks: Checks, order: RunOrder): Promise<RunOutcome> {
    let reached: Schema | undefined;
    const outcome = await this.#database.apply(
      script,
      {
        ...checks,
        after: async (draft) => {
          await checks.after(draft);
          reached = draft;
        },
      },
      order,
    );
    if (outcome.status === "done" && reached !== undefined) this.#onRead(reached);
    return outcome;
  }

  scratch(): Promise<ScratchDatabase> {
    return this.#database.scratch();
  }
}
