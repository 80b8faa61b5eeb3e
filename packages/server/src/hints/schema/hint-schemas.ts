import type { CatalogSchemas } from "../../catalog/ports.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { sharedResult } from "@steward/kernel/concurrency/shared-result.js";
import { withPauses } from "@steward/kernel/concurrency/pausing.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import { relationsOf, type Schema } from "@steward/schema";
import { HINT_SCHEMA_MS, HINT_SCHEMA_WAIT_MS, HINT_SCHEMAS_MAX } from "../limits.js";
import { knownObjectsOf } from "./known-objects.js";
import { KnownTables } from "./known-tables.js";

interface Entry {
  schema: Schema | undefined;
  tables: KnownTables | undefined;
  askedAtMs: number;
  reading: Promise<void> | undefined;
}

/** The tables of data sources, by organization. A schema is read again while the old one is used. */
export class HintSchemas {
  readonly #schemas: CatalogSchemas;
  readonly #clock: Clock;
  readonly #entries = new RecentMap<Entry>(HINT_SCHEMAS_MAX);

  constructor(schemas: CatalogSchemas, clock: Clock) {
    this.#schemas = schemas;
    this.#clock = clock;
  }

  /** The tables as they were known last, without waiting; undefined when they are not known yet. */
  known(caller: Caller, dataSource: string): KnownTables | undefined {
    return this.#entry(caller, dataSource).tables;
  }

  /** The current tables; undefined when they cannot be read. */
  async current(caller: Caller, dataSource: string): Promise<KnownTables | undefined> {
    const entry = this.#entry(caller, dataSource);
    const reading = entry.reading ?? this.#read(entry, caller, dataSource);
    await sharedResult(reading, caller.orgId);
    return entry.tables;
  }

  /** The current tables; undefined when they cannot be read now, or not soon. */
  soon(caller: Caller, dataSource: string): Promise<KnownTables | undefined> {
    const reading = this.current(caller, dataSource).catch(() => undefined);
    return Promise.race([reading, afterMs(HINT_SCHEMA_WAIT_MS)]);
  }

  /** Reads the tables again for the next statement, because this statement has changed them. */
  forget(caller: Caller, dataSource: string): void {
    this.#entries.delete(keyOf(caller, dataSource));
  }

  #entry(caller: Caller, dataSource: string): Entry {
    const entry = this.#entries.getOrMake(keyOf(caller, dataSource), () => {
      return { schema: undefined, tables: undefined, askedAtMs: -Infinity, reading: undefined };
    });
    const isOld = this.#clock.nowMs() - entry.askedAtMs > HINT_SCHEMA_MS;
    if (isOld && entry.reading === undefined) void this.#read(entry, caller, dataSource);
    return entry;
  }

  #read(entry: Entry, caller: Caller, dataSource: string): Promise<void> {
    entry.askedAtMs = this.#clock.nowMs();
    entry.reading = this.#readInto(entry, caller, dataSource).finally(() => {
      entry.reading = undefined;
    });
    return entry.reading;
  }

  async #readInto(entry: Entry, caller: Caller, dataSource: string): Promise<void> {
    const schema = await this.#schemas.of(caller, dataSource);
    if (schema === undefined || schema === entry.schema) return;
    const relations = await withPauses(relationsOf(schema));
    entry.schema = schema;
    entry.tables = new KnownTables(relations, schema.dialect, knownObjectsOf(schema));
  }
}

function keyOf({ orgId }: Caller, dataSource: string): string {
  return `${orgId} ${dataSource}`;
}

function afterMs(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => {
      resolve(undefined);
    }, ms).unref();
  });
}
