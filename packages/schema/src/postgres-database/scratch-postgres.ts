import { randomBytes } from "node:crypto";
import pg from "pg";
import { AppError } from "@steward/kernel/errors.js";
import type { Definitions, Schema, ScriptText } from "../index.js";
import type { ScratchDatabase } from "../ports.js";
import { isConnectionLost } from "@steward/postgres";
import { defineSchema } from "./define-schema.js";
import { RoutineStubs } from "./routine-stubs.js";
import {
  connect,
  introspectScratch,
  prepareForDefinitions,
  reasonOf,
  runScript,
} from "./session.js";

/**
 * A scratch database on the same server, so that it has the same version, roles and extensions. The
 * bodies of functions never run in it.
 */
export class PostgresScratch implements ScratchDatabase {
  readonly #admin: pg.Client;
  readonly #client: pg.Client;
  readonly #name: string;
  readonly #target: string;
  readonly #stubs: RoutineStubs;

  private constructor(admin: pg.Client, client: pg.Client, names: Names) {
    this.#admin = admin;
    this.#client = client;
    this.#name = names.scratch;
    this.#target = names.target;
    this.#stubs = new RoutineStubs(client);
  }

  /**
   * @throws AppError `STORE_UNAVAILABLE`; `POLICY_DENIED` when the role may not create databases.
   */
  static async open(url: string, target: string): Promise<PostgresScratch> {
    const admin = await connect(url, target);
    const { rows } = await admin.query<{ second: string }>(
      "SELECT extract(epoch FROM now())::bigint AS second",
    );
    const second = Number(rows[0]?.second);
    await dropAbandoned(admin, second);
    const name = `${PREFIX}${String(second)}_${randomBytes(8).toString("hex")}`;
    try {
      await admin.query(`CREATE DATABASE ${name} TEMPLATE template0`);
    } catch (cause) {
      await admin.end().catch(() => undefined);
      throw notCreated(target, cause);
    }
    const own = new URL(url);
    own.pathname = `/${name}`;
    const client = await connect(own.href, name, { pipeline: true });
    return new PostgresScratch(admin, client, { scratch: name, target });
  }

  introspect(): Promise<Schema> {
    return this.#whileConnected(() =>
      this.#stubs.withBodies(() => introspectScratch(this.#client)),
    );
  }

  run(script: ScriptText): Promise<void> {
    const unfilled = script.map((phase) => ({
      ...phase,
      statements: phase.statements.map((sql, index) => {
        const isFilled = phase.commands?.[index]?.command === "create_materialized_view";
        return isFilled ? `${sql} WITH NO DATA` : sql;
      }),
    }));
    return this.#whileConnected(async () => {
      await prepareForDefinitions(this.#client);
      await runScript(this.#client, unfilled, refused, (sql) =>
        this.#stubs.run(sql, (each) => this.#client.query(each)),
      );
    });
  }

  define(definitions: Definitions): Promise<void> {
    const { stubs, target } = { stubs: this.#stubs, target: this.#target };
    return this.#whileConnected(() => defineSchema(this.#client, definitions, { stubs, target }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end().catch(() => undefined);
    const drop = `DROP DATABASE IF EXISTS ${this.#name} WITH (FORCE)`;
    // DROP DATABASE fails when a concurrent checkpoint fails, so it is retried. The result of the
    // trial is valid in any case. If the second attempt fails too, the next migration drops the
    // database as an abandoned one.
    await this.#admin
      .query(drop)
      .catch(() => this.#admin.query(drop))
      .catch(() => undefined);
    await this.#admin.end().catch(() => undefined);
  }

  /** @throws AppError `STORE_UNAVAILABLE` when the connection is lost meanwhile. */
  async #whileConnected<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw isConnectionLost(error) ? connectionLost(this.#target, error) : error;
    }
  }
}

const PREFIX = "steward_scratch_";
/**
 * Age in seconds from which a scratch database without connections counts as abandoned. Its creator
 * connects long before that.
 */
const ABANDONED_AFTER_S = 60;

/** Drops scratch databases of crashed processes, which have no connections. */
async function dropAbandoned(admin: pg.Client, second: number): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT d.datname AS name FROM pg_database d
     WHERE d.datname ~ '^${PREFIX}[0-9]+_[0-9a-f]+$' AND pg_get_userbyid(d.datdba) = current_user
       AND split_part(d.datname, '_', 3)::bigint < $1
       AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datid = d.oid)`,
    [second - ABANDONED_AFTER_S],
  );
  for (const { name } of rows) {
    // Another server may be dropping the database, or somebody may be inspecting it. The next
    // migration tries again.
    await admin.query(`DROP DATABASE IF EXISTS ${name}`).catch(() => undefined);
  }
}

/** Name of the scratch database, and of the data source. */
interface Names {
  readonly scratch: string;
  readonly target: string;
}

function notCreated(target: string, cause: unknown): AppError {
  if (isConnectionLost(cause)) return connectionLost(target, cause);
  const tried = `A migration of ${target} is tried in a scratch database on the same server`;
  if (cause instanceof pg.DatabaseError && cause.code === INSUFFICIENT_PRIVILEGE) {
    const message =
      `${tried}, and the role may not create databases: have the operator set SERVICE_MIGRATION_URLS to ` +
      `${target}=URL with a role that owns the tables and has CREATEDB, see docs/data-sources.md`;
    return new AppError("POLICY_DENIED", message, { cause });
  }
  const message = `${tried}, which PostgreSQL cannot create now: ${reasonOf(cause)}`;
  return new AppError("STORE_UNAVAILABLE", message, { cause, retryAfterMs: 1000 });
}

const INSUFFICIENT_PRIVILEGE = "42501";

function connectionLost(target: string, cause: unknown): AppError {
  const message =
    `The connection to the server of ${target} was lost while a migration was tried in a scratch database; ` +
    `${target} itself is unchanged: try again`;
  return new AppError("STORE_UNAVAILABLE", message, { cause, retryAfterMs: 1000 });
}

function refused(sql: string, error: unknown): AppError {
  const message = `PostgreSQL refuses ${sql}: ${reasonOf(error)}`;
  return new AppError("INVALID_ARGUMENT", message, { cause: error });
}
