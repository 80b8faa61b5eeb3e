import type { StatementPolicy } from "../governance/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { CATALOG_JOIN_PATHS_MAX, CATALOG_JOIN_STEPS_MAX } from "./limits.js";
import { nearMiss } from "../kernel/near-miss.js";
import type { CatalogTable } from "./catalog-table.js";
import { joinPathsFrom } from "./join-paths.js";
import type { CatalogSource } from "./ports.js";
import type { RankedTable } from "./search/table-search.js";
import type { KnownSource, Snapshots } from "./snapshots.js";
import { type VisibleColumns, VisibleParts } from "./visible-parts.js";
import { visibleTable } from "./visible-table.js";

/** Dependencies of {@link CallerCatalog}. */
export interface CallerCatalogParts {
  readonly sources: readonly CatalogSource[];
  readonly access: DataSourceAccess;
  readonly policy: StatementPolicy;
}

/** A table that a caller has named and may read. */
type NamedTable = Pick<RankedTable, "source" | "number" | "visible"> & {
  readonly table: CatalogTable;
};

/** The part of the catalog that a caller may use: data sources, tables and columns. */
export class CallerCatalog {
  readonly #parts: CallerCatalogParts;
  readonly #snapshots: Snapshots;
  readonly #visible: VisibleParts;

  constructor(parts: CallerCatalogParts, snapshots: Snapshots) {
    this.#parts = parts;
    this.#snapshots = snapshots;
    this.#visible = new VisibleParts(parts.policy);
  }

  /** The data sources that the caller may use. */
  sourcesFor(caller: Caller): readonly CatalogSource[] {
    const { access, sources } = this.#parts;
    return sources.filter(({ name }) => access.refusal(caller, name) === undefined);
  }

  /** The data source of this name, or all that the caller may use. @throws AppError. */
  named(caller: Caller, dataSource: string | undefined): readonly CatalogSource[] {
    const open = this.sourcesFor(caller);
    if (dataSource === undefined) return open;
    const { access, sources } = this.#parts;
    const named = sources.find(({ name }) => name === dataSource);
    if (named === undefined) {
      const known = open.map(({ name }) => name).join(", ");
      const message = `There is no data source ${JSON.stringify(dataSource)}; there are: ${known}`;
      throw new AppError("NOT_FOUND", message);
    }
    access.require(caller, dataSource);
    return [named];
  }

  /**
   * The schemas of these data sources, as far as they can be read now.
   * @throws AppError `STORE_UNAVAILABLE` when none of them can be read.
   */
  async known(caller: Caller, sources: readonly CatalogSource[]): Promise<readonly KnownSource[]> {
    const known = await Promise.all(sources.map(({ name }) => this.#snapshots.of(caller, name)));
    const readable = known.filter((each) => each !== undefined);
    if (readable.length > 0 || sources.length === 0) return readable;
    const names = sources.map(({ name }) => name).join(", ");
    throw new AppError(
      "STORE_UNAVAILABLE",
      `The schema of ${names} cannot be read now; ask again`,
      {
        retryAfterMs: 1000,
      },
    );
  }

  /**
   * The table of this name that the caller may read.
   * @throws AppError `NOT_FOUND`; `INVALID_ARGUMENT` when several data sources have such a table.
   */
  async tableOf(
    caller: Caller,
    sources: readonly KnownSource[],
    name: string,
  ): Promise<NamedTable> {
    const found = await this.#visibleNamed(caller, sources, name);
    const [first, second] = found;
    if (first === undefined) throw await this.#unknownTable(caller, sources, name);
    if (second === undefined) return first;
    const names = found.map(({ source }) => source.dataSource).join(", ");
    throw invalidField(
      "data_source",
      `must name one of the data sources with such a table: ${names}`,
    );
  }

  /** The tables of this name; without any, the only one in a schema that the name leaves out. */
  async #visibleNamed(
    caller: Caller,
    sources: readonly KnownSource[],
    name: string,
  ): Promise<readonly NamedTable[]> {
    const named = await this.#visibleAmong(caller, sources, ({ snapshot }) => [
      snapshot.find(name) ?? -1,
    ]);
    if (named.length > 0) return named;
    const elsewhere = await this.#visibleAmong(caller, sources, ({ snapshot }) =>
      snapshot.inOtherSchemas(name),
    );
    return elsewhere.length === 1 ? elsewhere : [];
  }

  async #visibleAmong(
    caller: Caller,
    sources: readonly KnownSource[],
    numbersOf: (source: KnownSource) => readonly number[],
  ): Promise<readonly NamedTable[]> {
    const found = [];
    for (const source of sources) {
      for (const number of numbersOf(source)) {
        const table = source.snapshot.tables[number];
        const visible = await this.visibleOf(caller, source, number);
        if (table !== undefined && visible !== undefined)
          found.push({ source, number, table, visible });
      }
    }
    return found;
  }

  /**
   * The table itself first, then the tables that joins lead to, reduced to the parts that the
   * caller may read.
   */
  async neighboursOf(
    caller: Caller,
    source: KnownSource,
    number: number,
  ): Promise<readonly CatalogTable[]> {
    const { snapshot } = source;
    const start = snapshot.tables[number]?.name ?? "";
    const reach = { stepsMax: CATALOG_JOIN_STEPS_MAX, pathsMax: CATALOG_JOIN_PATHS_MAX * 4 };
    const reached = joinPathsFrom(snapshot.joins, start, reach).map(({ to }) => to);
    const visible = new Map<string, NonNullable<VisibleColumns>>();
    for (const name of [start, ...reached]) {
      const columns = await this.visibleOf(caller, source, snapshot.find(name) ?? -1);
      if (columns !== undefined) visible.set(name, columns);
    }
    return [...visible].flatMap(([name, columns]) => {
      const table = snapshot.tables[snapshot.find(name) ?? -1];
      return table === undefined ? [] : [visibleTable(table, columns, visible)];
    });
  }

  /** The columns of a table that the caller may read. */
  async visibleOf(caller: Caller, source: KnownSource, number: number): Promise<VisibleColumns> {
    const table = source.snapshot.tables[number];
    return table && this.#visible.of(caller, source.dataSource, table);
  }

  async #unknownTable(
    caller: Caller,
    sources: readonly KnownSource[],
    name: string,
  ): Promise<AppError> {
    if (sources.length === 0) {
      const message =
        "There is no data source that you may use: ask who administers the server to open one to your organization";
      return new AppError("NOT_FOUND", message);
    }
    const where = sources.map(({ dataSource }) => dataSource).join(", ");
    const unknown = `There is no table ${JSON.stringify(name)} in ${where}`;
    for (const source of sources) {
      const { tables } = source.snapshot;
      const meant = nearMiss(
        name,
        tables.map((table) => table.name),
      );
      const number = meant === undefined ? undefined : source.snapshot.find(meant);
      if (number === undefined || meant === undefined) continue;
      const visible = await this.visibleOf(caller, source, number);
      if (visible !== undefined)
        return new AppError("NOT_FOUND", `${unknown}; did you mean ${meant}?`);
    }
    return new AppError("NOT_FOUND", `${unknown}; search the catalog for what you need`);
  }
}
