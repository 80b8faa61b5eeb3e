import type { Query } from "./fault-place.js";

/** Names of what the second writer makes begin so, and no others do. */
const PREFIX = "theirs_";
const NOTE = `${PREFIX}note`;

/** Whether a difference between schemas is the second writer's doing. */
export function isTheirs(path: string): boolean {
  return path.includes(PREFIX);
}

/**
 * Somebody who works on the same database without knowing of the migration: makes tables with rows, and a
 * column with values on a table of others.
 */
export class SecondWriter {
  readonly #query: Query;
  /** What each table held when it was filled. */
  readonly #rows = new Map<string, string>();
  #notes: { readonly table: string; readonly rows: string } | undefined;

  constructor(query: Query) {
    this.#query = query;
  }

  /** The definitions of its tables, as they belong into a wanted schema. */
  get definitions(): readonly string[] {
    return [...this.#rows.keys()].map(definitionOf);
  }

  /** Makes another table and fills it. */
  async makeTable(): Promise<void> {
    const name = `${PREFIX}${String(this.#rows.size)}`;
    const rows = [1, 2, 3, 4, 5].map((a) => `(${String(a)}, 'row ${String(a)} of ${name}')`);
    await this.#query(`${definitionOf(name)}; INSERT INTO ${name} VALUES ${rows.join(", ")}`);
    this.#rows.set(name, await this.#contentOf(name));
  }

  /** Puts a column with values on a table of others. */
  async addColumn(table: string): Promise<void> {
    await this.#query(
      `ALTER TABLE ${table} ADD COLUMN ${NOTE} text; UPDATE ${table} SET ${NOTE} = 'of ' || id`,
    );
    this.#notes = { table, rows: await this.#notesOf(table) };
  }

  /** Takes its column away again. */
  async dropColumn(): Promise<void> {
    if (this.#notes !== undefined) {
      await this.#query(`ALTER TABLE ${this.#notes.table} DROP COLUMN ${NOTE}`);
    }
    this.#notes = undefined;
  }

  /** @throws Error naming what is not as it was left. */
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
