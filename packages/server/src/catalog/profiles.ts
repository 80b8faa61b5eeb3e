import type { Dialect } from "../governance/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { KeyedMutex } from "@steward/kernel/concurrency/keyed-mutex.js";
import { CATALOG_PROFILE_MS, CATALOG_PROFILES_MAX, CATALOG_READ_AGAIN_MS } from "./limits.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { CatalogTable } from "./catalog-table.js";
import type { CatalogRows } from "./ports.js";
import {
  countedRanges,
  countQuery,
  estimateOf,
  profileOf,
  profileQuery,
  type TableProfile,
} from "./table-profile.js";
import type { VisibleColumns } from "./visible-parts.js";

/** A table to be profiled, with the columns that the caller may read. */
export interface ProfiledTable {
  readonly dataSource: string;
  readonly dialect: Dialect;
  readonly table: CatalogTable;
  readonly visible: NonNullable<VisibleColumns>;
}

interface Kept {
  readonly profile: TableProfile | undefined;
  readonly atMs: number;
}

/**
 * Profiles of tables, read with the caller's rights and cached for a few minutes for callers of the
 * organization who may read the same columns. One profile is read at a time per data source, so
 * that steps keep the other sessions.
 */
export class Profiles {
  readonly #rows: CatalogRows;
  readonly #clock: Clock;
  readonly #kept = new RecentMap<Kept>(CATALOG_PROFILES_MAX);
  readonly #mutex = new KeyedMutex();

  constructor(rows: CatalogRows, clock: Clock) {
    this.#rows = rows;
    this.#clock = clock;
  }

  /** Undefined when the rows cannot be read now. */
  of(caller: Caller, asked: ProfiledTable, signal: AbortSignal): Promise<TableProfile | undefined> {
    const { dataSource, table, visible } = asked;
    const key = JSON.stringify([caller.orgId, dataSource, table.fingerprint, [...visible]]);
    const isFresh = (kept: Kept | undefined): kept is Kept => {
      if (kept === undefined) return false;
      const keptMs = kept.profile === undefined ? CATALOG_READ_AGAIN_MS : CATALOG_PROFILE_MS;
      return this.#clock.nowMs() - kept.atMs < keptMs;
    };
    const found = this.#kept.get(key);
    if (isFresh(found)) return Promise.resolve(found.profile);
    return this.#mutex.runExclusive(dataSource, async () => {
      const meanwhile = this.#kept.get(key);
      if (isFresh(meanwhile)) return meanwhile.profile;
      const profile = await this.#read(caller, asked, signal);
      this.#kept.set(key, { profile, atMs: this.#clock.nowMs() });
      return profile;
    });
  }

  async #read(
    caller: Caller,
    { dataSource, dialect, table, visible }: ProfiledTable,
    signal: AbortSignal,
  ): Promise<TableProfile | undefined> {
    const columns = table.columns.filter(({ name }) => visible.has(name));
    const read = (sql: string): ReturnType<CatalogRows["read"]> =>
      this.#rows.read(caller, dataSource, sql, signal);
    const rows = await read(profileQuery(table, columns, dialect));
    if (rows === undefined) return undefined;
    const profile = profileOf(rows);
    if (profile.isComplete) return profile;
    const ranged = columns.filter(({ name }) => profile.ranges.has(name));
    const counted = await read(countQuery(table, ranged, dialect));
    const estimate = counted && estimateOf(counted);
    // Without the query, the ranges are those of the rows that were read.
    if (counted === undefined || estimate === undefined) return profile;
    return { ...profile, estimate, ranges: countedRanges(ranged, counted) };
  }
}
