import { randomBytes } from "node:crypto";
import type pg from "pg";
import { AppError } from "../../kernel/errors.js";
import { refuseMoreThanDefinitions, type Schema, type Script } from "../../schema/index.js";
import type { ScratchDatabase } from "../../schema/ports.js";
import {
  connect,
  introspectScratch,
  prepareForDefinitions,
  reasonOf,
  runScript,
} from "./session.js";

/** A database of its own on the same server, so that it has the same version, roles and extensions. */
export class PostgresScratch implements ScratchDatabase {
  readonly #admin: pg.Client;
  readonly #client: pg.Client;
  readonly #name: string;

  private constructor(admin: pg.Client, client: pg.Client, name: string) {
    this.#admin = admin;
    this.#client = client;
    this.#name = name;
  }

  /** @throws AppError `STORE_UNAVAILABLE`, `POLICY_DENIED` when the user may not create databases. */
  static async open(url: string, target: string): Promise<PostgresScratch> {
    const admin = await connect(url, target);
    const name = `steward_scratch_${randomBytes(8).toString("hex")}`;
    try {
      await admin.query(`CREATE DATABASE ${name} TEMPLATE template0`);
    } catch (cause) {
      await admin.end();
      throw new AppError(
        "POLICY_DENIED",
        `A migration of ${target} is tried in a database of its own: its user needs CREATEDB`,
        { cause },
      );
    }
    const own = new URL(url);
    own.pathname = `/${name}`;
    return new PostgresScratch(admin, await connect(own.href, name), name);
  }

  introspect(): Promise<Schema> {
    return introspectScratch(this.#client);
  }

  async run(script: Script): Promise<void> {
    await prepareForDefinitions(this.#client);
    const unfilled = script.map(({ isAtomic, statements }) => ({
      isAtomic,
      statements: statements.map(withoutData),
    }));
    await runScript(this.#client, unfilled, refused);
  }

  async define(sql: string): Promise<void> {
    await prepareForDefinitions(this.#client);
    await this.#client.query("SET search_path = public");
    for (const statement of refuseMoreThanDefinitions(sql, "postgres")) {
      try {
        await this.#client.query(withoutData(statement));
      } catch (error) {
        throw refused(statement, error);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
    await this.#admin.query(`DROP DATABASE IF EXISTS ${this.#name} WITH (FORCE)`);
    await this.#admin.end();
  }
}

/** A materialized view would run its query. */
function withoutData(statement: string): string {
  const isFilled = /^\s*CREATE\s+MATERIALIZED\s/i.test(statement) && !/\sDATA\s*$/i.test(statement);
  return isFilled ? `${statement} WITH NO DATA` : statement;
}

function refused(sql: string, error: unknown): AppError {
  const message = `PostgreSQL refuses ${sql}: ${reasonOf(error)}`;
  return new AppError("INVALID_ARGUMENT", message, { cause: error });
}
