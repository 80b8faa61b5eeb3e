import type { RecordedOperation } from "../../kernel/recorded-operation.js";
import type { Readable } from "../cold/row-type.js";
import type { Sql, SqlValue } from "../cold/sql.js";
import type { ExpectingSql, SqlStore, WriteOptions } from "../cold/sql-store.js";
import type { Connection, Database, PgValue } from "./database.js";
import { settled } from "./settled.js";

/** SQL on the store in PostgreSQL. */
export class PostgresSqlStore implements SqlStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async row<R>(query: Sql, type: Readable<R>): Promise<R | undefined> {
    const { sql, values } = postgresQuery(query);
    const [row] = await this.#db.query(sql, values);
    return row === undefined ? undefined : type.read(row);
  }

  async rows<R>(_party: string, query: Sql, type: Readable<R>): Promise<readonly R[]> {
    return rowsOn(this.#db, query, type);
  }

  write(
    unit: readonly (Sql | ExpectingSql)[],
    { operation, isOurs }: WriteOptions = {},
  ): Promise<boolean> {
    const statements = unit.map(statementOf).filter((each) => each.sql !== "");
    const run = (): Promise<boolean> => this.#run(statements, operation);
    if (isOurs === undefined) return run();
    return settled(async (isUnsure) => (await run()) || (isUnsure && (await isOurs())));
  }

  async #run(
    unit: readonly Statement[],
    operation: RecordedOperation | undefined,
  ): Promise<boolean> {
    const [first, ...others] = unit;
    if (first === undefined) return true;
    // A transaction of its own would take three more round trips.
    if (others.length === 0 && operation === undefined) {
      return isExpected(first, await this.#db.change(first.sql, first.values));
    }
    try {
      await this.#db.effect(async (connection) => {
        for (const each of unit) {
          const changed = await connection.change(each.sql, each.values);
          if (!isExpected(each, changed)) throw new Unexpected();
        }
      }, operation);
      return true;
    } catch (error) {
      if (error instanceof Unexpected) return false;
      throw error;
    }
  }
}

interface Statement {
  readonly sql: string;
  readonly values: readonly PgValue[];
  readonly expect?: number;
}

function isExpected({ expect }: Statement, changed: number): boolean {
  return expect === undefined || changed === expect;
}

/** The rows of a query on a connection, also within its transaction. */
export async function rowsOn<R>(
  connection: Pick<Connection, "query">,
  query: Sql,
  type: Readable<R>,
): Promise<readonly R[]> {
  const { sql, values } = postgresQuery(query);
  return (await connection.query(sql, values)).map(type.read);
}

/** Runs statements in the transaction of a connection. */
export async function runOn(connection: Connection, statements: readonly Sql[]): Promise<void> {
  for (const { sql, values } of statements.map(postgresQuery)) await connection.query(sql, values);
}

/** Rolls a transaction back whose statement has changed another number of rows than expected. */
class Unexpected extends Error {
  override readonly name = "Unexpected";
}

function statementOf(each: Sql | ExpectingSql): Statement {
  return "statement" in each
    ? { ...postgresQuery(each.statement), expect: each.expect }
    : postgresQuery(each);
}

function postgresQuery(statement: Sql): Statement {
  const values: SqlValue[] = [];
  const sql = statement.textIn("postgres", values);
  return { sql, values: values.map((value) => value ?? null) };
}
