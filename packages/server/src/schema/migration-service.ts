import type { Caller } from "../kernel/caller.js";
import type { Clock } from "../kernel/clock.js";
import { AppError } from "../kernel/errors.js";
import type { Ids } from "../kernel/ids.js";
import { Turns } from "../kernel/turns.js";
import type { BlockStore, CommitNote, Repositories } from "../state/index.js";
import { renameHints } from "./definitions.js";
import { type Drift, driftBetween, refuseDrift } from "./drift.js";
import { identify, type RenameHint } from "./identify.js";
import { type Finding, lint } from "./lint.js";
import { type Migration, type MigrationStatus, schemasOf } from "./migration.js";
import { MigrationRecords } from "./migration-records.js";
import type { SchemaDatabase, Script } from "./ports.js";
import { type MigrationProof, proveMigration } from "./proof.js";
import { rootOf } from "./root.js";
import type { Schema } from "./schema.js";
import { diffSchemas } from "./schema-diff.js";
import { SchemaHistory } from "./schema-history.js";
import { scriptBetween } from "./script.js";

/** What a migration is proposed with. */
export interface Proposal {
  /** Name of the data source. */
  readonly database: string;
  /** The whole schema that is wanted, as definitions. */
  readonly sql: string;
  readonly message: string;
  /** What has another name in it; beside the hints that stand in the SQL. */
  readonly hints?: readonly RenameHint[];
}

/** How a migration is to run. */
export interface RunOptions {
  /** Whether rows and values may be lost. */
  readonly acceptDataLoss?: boolean;
}

/** What the service works with. */
export interface MigrationServiceParts {
  readonly databases: ReadonlyMap<string, SchemaDatabase>;
  /** Where each organization keeps its migrations and the history of its schemas. */
  readonly repositories: Repositories;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Migrations from proposal to commit. Every method is for callers with the role `admin` or the
 * permission `manage:schema` (`POLICY_DENIED` otherwise); a migration belongs to its organization.
 */
export class MigrationService {
  readonly #parts: MigrationServiceParts;
  /** One piece of work on a database at a time. */
  readonly #turns = new Turns();

  constructor(parts: MigrationServiceParts) {
    this.#parts = parts;
  }

  /**
   * Works out how the database comes to have a schema, tries it on a scratch database, and keeps it.
   * @throws AppError `INVALID_ARGUMENT` for SQL that is refused, or a migration that does not verify;
   * `STATE_CONFLICT` when the database is not as it was left.
   */
  async propose(caller: Caller, proposal: Proposal): Promise<Migration> {
    requireSchemaAdmin(caller);
    const database = this.#database(proposal.database);
    return this.#turns.next(database.name, async () => {
      const base = await this.#recorded(database, caller);
      const target = await wantedSchema(database, base, proposal);
      const migration = this.#draw(caller, proposal, base, target);
      refuseUnproven(await proveMigration(database, { base, target, ...waysOf(migration) }));
      const note = noteOf(caller, `Propose ${migration.id}`);
      await this.#write(caller, (store) => this.#records(store).put(migration, note));
      return migration;
    });
  }

  /** The organization's migrations, the newest first. */
  async list(caller: Caller): Promise<readonly Migration[]> {
    requireSchemaAdmin(caller);
    return this.#read(caller, (store) => this.#records(store).list());
  }

  /** @throws AppError `NOT_FOUND`. */
  async show(caller: Caller, id: string): Promise<Migration> {
    requireSchemaAdmin(caller);
    return this.#read(caller, (store) => this.#records(store).get(id));
  }

  /** Tries a migration again, up and down, on a scratch database. */
  async verify(caller: Caller, id: string): Promise<MigrationProof> {
    const migration = await this.show(caller, id);
    const database = this.#database(migration.database);
    return proveMigration(database, { ...schemasOf(migration), ...waysOf(migration) });
  }

  /** How the database is, beside how it was left. */
  async drift(caller: Caller, name: string): Promise<Drift> {
    requireSchemaAdmin(caller);
    const database = this.#database(name);
    return this.#turns.next(database.name, async () => {
      const expected = await this.#recordedOrNow(database, caller);
      return driftBetween(expected, await database.introspect());
    });
  }

  /** Takes the database as it is for what it should be. @returns the commit's content id, if it differs. */
  async acceptDrift(caller: Caller, name: string, message: string): Promise<string | undefined> {
    requireSchemaAdmin(caller);
    const database = this.#database(name);
    return this.#turns.next(database.name, async () => {
      const expected = await this.#recordedOrNow(database, caller);
      const { live, liveRoot, expectedRoot } = driftBetween(expected, await database.introspect());
      if (liveRoot === expectedRoot) return undefined;
      const note = noteOf(caller, message);
      return this.#write(caller, (store) => this.#history(store, database).record(live, note));
    });
  }

  /**
   * Runs a migration: proves it once more, checks under the database's lock that the schema is the one
   * it is for, and that it ends at the one it promised. Applying what is applied changes nothing.
   * @throws AppError `STATE_CONFLICT` for drift, naming the difference; `APPROVAL_REQUIRED` when data
   * would be lost and nobody accepted that; `STEP_FAILED` when the rows do not allow it.
   */
  apply(caller: Caller, id: string, options: RunOptions = {}): Promise<Migration> {
    return this.#run(caller, id, "applied", options);
  }

  /** Runs an applied migration backwards; as {@link apply}. */
  revert(caller: Caller, id: string, options: RunOptions = {}): Promise<Migration> {
    return this.#run(caller, id, "reverted", options);
  }

  async #run(
    caller: Caller,
    id: string,
    goal: "applied" | "reverted",
    options: RunOptions,
  ): Promise<Migration> {
    const { database: name } = await this.show(caller, id);
    const database = this.#database(name);
    return this.#turns.next(database.name, async () => {
      const migration = await this.show(caller, id);
      if (migration.status === goal) return migration;
      const isUp = goal === "applied";
      if (!isUp && migration.status !== "applied") {
        throw new AppError(
          "STATE_CONFLICT",
          "The migration is not applied: there is nothing to revert",
        );
      }
      const { base, target } = schemasOf(migration);
      const [from, to] = isUp ? [base, target] : [target, base];
      const live = driftBetween(to, await database.introspect());
      // Whoever ran it last may have died before saying so.
      if (live.liveRoot === live.expectedRoot && rootOf(from) !== live.liveRoot) {
        return this.#recordRun(caller, migration, goal, live.live);
      }
      const script = scriptBetween(from, to);
      refuseOthersWork(script, isUp ? migration.up : migration.down);
      refuseLoss(lint(from, to, script), options);
      refuseUnproven(await proveMigration(database, { base, target, ...waysOf(migration) }));
      const reached = await runOrGoBack(database, from, to, script);
      return this.#recordRun(caller, migration, goal, reached);
    });
  }

  /** Keeps what was reached, and what has reached it, together. */
  #recordRun(
    caller: Caller,
    { id, message }: Migration,
    status: MigrationStatus,
    schema: Schema,
  ): Promise<Migration> {
    const word = status === "applied" ? "Apply" : "Revert";
    const note = noteOf(caller, `${word} ${id}: ${message}`);
    return this.#write(caller, (store) => {
      const records = this.#records(store);
      const migration = records.get(id);
      // Another server may have seen the same and said so.
      if (migration.status === status) return migration;
      const database = this.#database(migration.database);
      const commit = this.#history(store, database).record(schema, note);
      const done = { ...migration, status, commits: [...migration.commits, commit] };
      records.put(done, note);
      return done;
    });
  }

  #draw(caller: Caller, proposal: Proposal, base: Schema, target: Schema): Migration {
    const up = scriptBetween(base, target);
    const down = scriptBetween(target, base);
    if (up.length === 0) {
      throw new AppError("INVALID_ARGUMENT", `${proposal.database} has this schema already`);
    }
    return {
      id: this.#parts.ids.uuid(),
      database: proposal.database,
      author: authorOf(caller),
      message: proposal.message,
      proposedAtMs: this.#parts.clock.nowMs(),
      status: "proposed",
      baseRoot: rootOf(base),
      targetRoot: rootOf(target),
      operations: diffSchemas(base, target),
      findings: lint(base, target, up),
      downFindings: lint(target, base, down),
      up,
      down,
      commits: [],
      base: base.objects,
      target: target.objects,
    };
  }

  /** The schema as it was left, which it must still be; the first look at a database records it. */
  async #recorded(database: SchemaDatabase, caller: Caller): Promise<Schema> {
    const expected = await this.#recordedOrNow(database, caller);
    const draft = await database.introspect();
    refuseDrift(database.name, expected, draft);
    // As it is read now, with what the layout says of it now.
    return identify(draft, expected);
  }

  async #recordedOrNow(database: SchemaDatabase, caller: Caller): Promise<Schema> {
    const recorded = (store: BlockStore): Schema | undefined =>
      this.#history(store, database).head?.schema;
    const expected = await this.#read(caller, recorded);
    if (expected !== undefined) return expected;
    const schema = identify(await database.introspect(), undefined);
    const note = noteOf(caller, `Record the schema of ${database.name}`);
    return this.#write(caller, (store) => {
      const first = recorded(store);
      if (first === undefined) this.#history(store, database).record(schema, note);
      return first ?? schema;
    });
  }

  #read<T>({ orgId }: Caller, read: (store: BlockStore) => T): Promise<T> {
    return this.#parts.repositories.read(orgId, ({ store }) => read(store));
  }

  #write<T>({ orgId }: Caller, write: (store: BlockStore) => T): Promise<T> {
    return this.#parts.repositories.write(orgId, ({ store }) => write(store));
  }

  #history(store: BlockStore, { name }: SchemaDatabase): SchemaHistory {
    return new SchemaHistory(store, this.#parts.clock, name);
  }

  #records(store: BlockStore): MigrationRecords {
    return new MigrationRecords(store, this.#parts.clock);
  }

  #database(name: string): SchemaDatabase {
    const database = this.#parts.databases.get(name);
    if (database !== undefined) return database;
    const known = [...this.#parts.databases.keys()].join(", ");
    throw new AppError(
      "NOT_FOUND",
      `There is no data source ${JSON.stringify(name)}; there are: ${known}`,
    );
  }
}

/** Runs a script between two checks. @returns the schema it ends at, as it was read. */
async function run(
  database: SchemaDatabase,
  from: Schema,
  to: Schema,
  script: Script,
): Promise<Schema> {
  let reached = to;
  await database.apply(script, {
    before: (draft) => refuseDrift(database.name, from, draft),
    after: (draft) => {
      refuseDrift(database.name, to, draft);
      reached = identify(draft, to);
    },
  });
  return reached;
}

/** What of a script in several phases took effect before one failed is taken back by the same means. */
async function runOrGoBack(
  database: SchemaDatabase,
  from: Schema,
  to: Schema,
  script: Script,
): Promise<Schema> {
  try {
    return await run(database, from, to, script);
  } catch (error) {
    if (script.length > 1) {
      const halfway = identify(await database.introspect(), from);
      const back = scriptBetween(halfway, from);
      if (back.length > 0) await run(database, halfway, from, back);
    }
    throw error;
  }
}

async function wantedSchema(
  database: SchemaDatabase,
  base: Schema,
  { sql, hints = [] }: Proposal,
): Promise<Schema> {
  await using scratch = await database.scratch();
  await scratch.define(sql);
  const written = renameHints(sql, database.dialect);
  return identify(await scratch.introspect(), base, [...hints, ...written]);
}

function waysOf({ up, down }: Migration): { readonly up: Script; readonly down: Script } {
  return { up, down };
}

function refuseUnproven({ isProven, stretches }: MigrationProof): void {
  if (isProven) return;
  const failed = stretches.find(({ expected, reached }) => expected !== reached);
  const missing = (failed?.missing ?? []).map(
    ({ action, kind, path }) => `${action} ${kind} ${path}`,
  );
  throw new AppError(
    "INVALID_ARGUMENT",
    `The migration does not verify (${failed?.name ?? "base"}); missing: ${missing.join("; ")}`,
  );
}

/** What is kept in a state can be written by others than this service; statements are run as they are made. */
function refuseOthersWork(made: Script, kept: Script): void {
  if (JSON.stringify(made) === JSON.stringify(kept)) return;
  throw new AppError(
    "STATE_CONFLICT",
    "The migration's statements are not those that its schemas ask for: propose it again",
  );
}

function refuseLoss(findings: readonly Finding[], { acceptDataLoss = false }: RunOptions): void {
  const lost = findings.filter(({ code }) => code === "destructive");
  if (lost.length === 0 || acceptDataLoss) return;
  const what = lost.map(({ object, message }) => `${object}: ${message}`).join("; ");
  throw new AppError(
    "APPROVAL_REQUIRED",
    `Data would be lost (${what}): accept_data_loss allows it`,
  );
}

/** @throws AppError `POLICY_DENIED` for callers who may not change schemas. */
function requireSchemaAdmin({ roles, permissions }: Caller): void {
  const isAdmin = roles.some((role) => role.trim().toLowerCase() === "admin");
  if (isAdmin || permissions.some((permission) => permission.trim() === "manage:schema")) return;
  throw new AppError(
    "POLICY_DENIED",
    "Migrations need the role admin or the permission manage:schema",
  );
}

function authorOf({ userId, agentId, orgId }: Caller): string {
  return userId ?? agentId ?? `organization ${orgId}`;
}

function noteOf(caller: Caller, message: string): CommitNote {
  return { author: authorOf(caller), message };
}
