import type { Query } from "./fault-place.js";

/** Prefix of the second writer's objects. */
const PREFIX = "theirs_";
const NOTE = `${PREFIX}note`;

/** Whether a difference between schemas was caused by the second writer. */
export function isTheirs(path: string): boolean {
  return path.includes(PREFIX);
}

/**
 * Another session that works on the database during a migration. It creates tables with rows, and
 * adds a column with values to an existing table.
 */
export class SecondWriter {
  readonly #query: Query;
  /** The content of each table when it was filled. */
  readonly #rows = new Map<string, string>();
  #notes: { readonly table: string; readonly rows: string } | undefined;

  constructor(query: Query) {
    this.#query = query;
  }

  /** The definitions of its tables, for a wanted schema. */
  get definitions(): readonly string[] {
    return [...this.#rows.keys()].map(definitionOf);
  }

  /** Creates another table with rows. */
  async makeTable(): Promise<void> {
    const name = `${PREFIX}${String(this.#rows.size)}`;
    const rows = [1, 2, 3, 4, 5].map((a) => `(${String(a)}, 'row ${String(a)} of ${name}')`);
    await this.#query(`${definitionOf(name)}; INSERT INTO ${name} VALUES ${rows.join(", ")}`);
    this.#rows.set(name, await this.#contentOf(name));
  }

  /** Adds a column with values to an existing table. */
  async addColumn(table: string): Promise<void> {
    await this.#query(
      `ALTER TABLE ${table} ADD COLUMN ${NOTE} text; UPDATE ${table} SET ${NOTE} = 'of ' || id`,
    );
    this.#notes = { table, rows: await this.#notesOf(table) };
  }

  /** Drops its column again. */
  async dropColumn(): Promise<void> {
    if (this.#notes !== undefined) {
      await this.#query(`ALTER TABLE ${this.#notes.table} DROP COLUMN ${NOTE}`);
    }
    this.#notes = undefined;
  }

  /** @throws Error naming what has changed unexpectedly. */
  async check(): Promise<void> {
    for (const [name, rows] of this.#rows) refuseOther(name, rows, await this.#contentOf(name));
    if (this.#notes === undefined) return;
    const { table, rows } = this.#notes;
    refuseOther(`${table}.${NOTE}`, rows, await this.#notesOf(table));
  }

  async #contentOf(name: string): Promise<string> {
    return JSON.stringify(await this.#query(`SELECT a, b FROM ${name} ORDER BY a`));
  }

  async #notesOf(table: string): Promise<string> {
    const sql = `SELECT id, ${NOTE} FROM ${table} WHERE ${NOTE} IS NOT NULL ORDER BY id`;
    return JSON.stringify(await this.#query(sql));
  }
}

function definitionOf(name: string): string {
  return `CREATE TABLE ${name} (a integer PRIMARY KEY, b text)`;
}

function refuseOther(what: string, left: string, found: string): void {
  if (left !== found) throw new Error(`${what} of somebody else was ${left} and is ${found}`);
}
