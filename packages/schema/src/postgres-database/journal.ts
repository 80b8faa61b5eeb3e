import type pg from "pg";
import { AppError } from "@steward/kernel/errors.js";
import type { RunIdentity, UnfinishedRun } from "../index.js";
import { activityOf } from "./run-activity.js";
import { NO_SEARCH_PATH } from "./session.js";

/** The journal of unfinished migrations (Decision §15). Introspection skips tables whose names begin with `_steward_`. */
const JOURNAL_TABLE = "_steward_migrations";

/**
 * The advisory lock that a migration holds, so that only one migration runs on a database, from any
 * server.
 */
export const MIGRATION_LOCK = 5281736450182n;

/**
 * The journal of the unfinished run on a database. It has at most one row, and none when every run
 * has ended.
 */
export class RunJournal {
  readonly #client: pg.Client;
  /** OID of the journal's table, because a migration may rename the table's schema. */
  readonly #oid: string | undefined;

  private constructor(client: pg.Client, oid: string | undefined) {
    this.#client = client;
    this.#oid = oid;
  }

  /** Finds the table through the connection's default search path. */
  static async find(client: pg.Client): Promise<RunJournal> {
    const sql = "SELECT to_regclass(quote_ident(current_schema()) || '.' || $1)::oid::text AS oid";
    const { rows } = await client.query<{ oid: string | null }>(sql, [JOURNAL_TABLE]);
    return new RunJournal(client, rows[0]?.oid ?? undefined);
  }

  /**
   * The journal; creates its table if needed.
   * @throws AppError `POLICY_DENIED` when the role may not create it.
   */
  async made(): Promise<RunJournal> {
    if (this.#oid !== undefined) return this;
    try {
      await this.#client.query("RESET search_path");
      await this.#client.query(CREATE_TABLE);
    } catch (cause) {
      throw new AppError(
        "POLICY_DENIED",
        `A migration of several transactions keeps its progress in the table ${JOURNAL_TABLE}, which its role may ` +
          "not create: grant the role CREATE on the first schema of its search_path",
        { cause },
      );
    }
    const made = await RunJournal.find(this.#client);
    await this.#client.query(NO_SEARCH_PATH);
    return made;
  }

  async read(): Promise<UnfinishedRun | undefined> {
    if (this.#oid === undefined) return undefined;
    const { rows } = await this.#client.query<Row>(
      `SELECT j.*, (SELECT l.pid FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND ((l.classid::bigint << 32) | l.objid::bigint) = ${String(MIGRATION_LOCK)}
         AND l.pid <> pg_backend_pid() LIMIT 1) AS holder
       FROM ${await this.#name()} j`,
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    const activity = row.holder === null ? undefined : await activityOf(this.#client, row.holder);
    return { ...runOf(row), ...(activity === undefined ? {} : { activity }) };
  }

  /** Records a new run, in place of the run that it replaces. */
  async begin(
    { migrationId, direction, purpose, undoneUnits }: RunIdentity,
    script: Pick<UnfinishedRun, "digest" | "unitCount">,
    made: readonly string[],
  ): Promise<void> {
    const table = await this.#name();
    await this.#client.query(`DELETE FROM ${table}`);
    await this.#client.query(
      `INSERT INTO ${table} (migration_id, direction, purpose, undone_units, digest, units_done,
         unit_count, made_relations) VALUES ($1, $2, $3, $4, $5, 0, $6, $7)`,
      [migrationId, direction, purpose, undoneUnits, script.digest, script.unitCount, made],
    );
  }

  /**
   * Records that the build of an index begins outside a transaction; undefined: that the index was
   * cleaned up.
   */
  async beginIndex(index: string | undefined): Promise<void> {
    await this.#client.query(
      `UPDATE ${await this.#name()} SET begun_index = $1, error = NULL, updated_at = now()`,
      [index ?? null],
    );
  }

  /**
   * Records that a unit has taken effect. Inside a transaction, also records the relations that it
   * has created so far.
   * @param dropping an index whose drop begins with this, outside a transaction.
   */
  async advance(unitsDone: number, made: readonly string[], dropping?: string): Promise<void> {
    await this.#client.query(
      `UPDATE ${await this.#name()} SET units_done = $1, begun_index = $3, error = NULL,
         updated_at = now(), made_relations = made_relations || $2::text[]`,
      [unitsDone, made, dropping ?? null],
    );
  }

  /** Records why the run stopped. */
  async stop(error: string): Promise<void> {
    await this.#client.query(`UPDATE ${await this.#name()} SET error = $1, updated_at = now()`, [
      error.slice(0, ERROR_LENGTH_MAX),
    ]);
  }

  /** Deletes the record of a run that has ended or is abandoned. */
  async end(): Promise<void> {
    await this.#client.query(`DELETE FROM ${await this.#name()}`);
  }

  async #name(): Promise<string> {
    // With an empty search path, PostgreSQL qualifies the name.
    const { rows } = await this.#client.query<{ name: string }>(
      "SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1",
      [this.#oid],
    );
    const [row] = rows;
    if (row === undefined) {
      throw new AppError(
        "STATE_CONFLICT",
        `The table ${JOURNAL_TABLE} of this database has been dropped`,
      );
    }
    return row.name;
  }
}

/**
 * A query for the native ids of the relations that the current transaction has created or changed.
 */
export const RELATIONS_OF_TRANSACTION: string = `SELECT 'r:' || oid AS id FROM pg_class
  WHERE xmin::text::bigint = txid_current() & 4294967295`;

/** Limit of a stored error message, in characters. */
const ERROR_LENGTH_MAX = 2000;

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS ${JOURNAL_TABLE} (
  migration_id text NOT NULL,
  direction text NOT NULL,
  purpose text NOT NULL,
  undone_units integer NOT NULL,
  digest text NOT NULL,
  units_done integer NOT NULL,
  unit_count integer NOT NULL,
  begun_index text,
  made_relations text[] NOT NULL,
  error text,
  started_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
)`;

interface Row {
  readonly migration_id: string;
  readonly direction: UnfinishedRun["direction"];
  readonly purpose: UnfinishedRun["purpose"];
  readonly undone_units: number;
  readonly digest: string;
  readonly units_done: number;
  readonly unit_count: number;
  readonly begun_index: string | null;
  readonly made_relations: readonly string[];
  readonly error: string | null;
  readonly started_at: Date;
  readonly holder: number | null;
}

function runOf(row: Row): UnfinishedRun {
  return {
    migrationId: row.migration_id,
    direction: row.direction,
    purpose: row.purpose,
    undoneUnits: row.undone_units,
    digest: row.digest,
    unitsDone: row.units_done,
    unitCount: row.unit_count,
    begunIndex: row.begun_index ?? undefined,
    madeRelations: row.made_relations,
    isUnderWay: row.holder !== null,
    error: row.error ?? undefined,
    startedAt: new Date(row.started_at).toISOString(),
  };
}
