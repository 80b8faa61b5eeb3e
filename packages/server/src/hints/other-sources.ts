import type { Caller } from "@steward/kernel/caller.js";
import type { AdvisedStatement } from "../plans/ports.js";
import type { Correction } from "./correction.js";
import type { Fault } from "./fault.js";
import type { HintSchemas } from "./schema/hint-schemas.js";
import type { VisibleNames } from "./visible-names.js";

/** Finds tables in data sources other than the one that a statement ran on. */
export class OtherSources {
  readonly #schemas: HintSchemas;
  readonly #visible: VisibleNames;
  readonly #openSources: (caller: Caller) => readonly string[];

  constructor(
    schemas: HintSchemas,
    visible: VisibleNames,
    openSources: (caller: Caller) => readonly string[],
  ) {
    this.#schemas = schemas;
    this.#visible = visible;
    this.#openSources = openSources;
  }

  /**
   * Where the table is that a statement's data source does not have: one sentence for each other data
   * source with a table of that very name, which the caller may read.
   */
  async tableOf(asked: AdvisedStatement, fault: Fault | undefined): Promise<readonly Correction[]> {
    if (fault?.kind !== "unknown table") return [];
    const written = fault.name.lower;
    const others = this.#openSources(asked.caller).filter((name) => name !== asked.dataSource);
    const found = await Promise.all(others.map((name) => this.#tableIn(name, asked, written)));
    return found.filter((sentence) => sentence !== undefined).map(correction);
  }

  async #tableIn(
    dataSource: string,
    asked: AdvisedStatement,
    written: string,
  ): Promise<string | undefined> {
    const tables = await this.#schemas.soon(asked.caller, dataSource);
    // Some write the name of the data source as if it were a schema.
    const own = written.startsWith(`${dataSource}.`)
      ? written.slice(dataSource.length + 1)
      : written;
    const table = tables?.find(own);
    if (tables === undefined || table === undefined) return undefined;
    // Policies may forbid a data source as a whole, so they are asked in any case.
    const there = { ...asked, dataSource, dialect: tables.dialect, looksAtData: true };
    const columns = table.columns.slice(0, 1).map(({ name }) => name);
    if (!(await this.#visible.isVisible(there, { table, columns }))) return undefined;
    const name = tables.writtenTable(table);
    return `Table ${name} is in the data source ${dataSource}: set data_source to ${dataSource}.`;
  }
}

function correction(sentence: string): Correction {
  return { sentence, names: [] };
}
