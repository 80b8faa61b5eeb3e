import type { Caller } from "@steward/kernel/caller.js";
import { isUuid } from "@steward/kernel/ids.js";
import { AppError } from "@steward/kernel/errors.js";
import type { ApprovedMigration } from "../approvals/index.js";
import type { PlannedStatement, StatementPolicy } from "../governance/index.js";
import {
  type AttemptRef,
  type JsonTool,
  type NamedMigrations,
  StatementError,
  type StatementRequest,
  type StatementResult,
  type StepTarget,
} from "../plans/ports.js";
import {
  isMigrationDigest,
  migrationDigest,
  type Migration,
  type MigrationService,
  runOfStep,
  schemasOf,
  tableDeltas,
  type MigrationEffect,
  migrationEffects,
} from "@steward/schema";
import { migrationStatement } from "./migration-statement.js";

/** Name of the tool and of its target. */
export const APPLY_MIGRATION = "state.apply_migration";

/** What the tool asks about a caller. */
export interface ApplyMigrationRights extends Pick<StatementPolicy, "looksAtData"> {
  /**
   * Resolves when the caller may apply migrations.
   * @throws AppError `POLICY_DENIED`.
   */
  readonly mayApply: (caller: Caller) => Promise<void>;
}

/** The arguments of a call. */
interface Call {
  readonly id: string;
  readonly acceptDataLoss: boolean;
  readonly digest?: string;
}

/**
 * The tool with which a plan step applies a proposed migration (Decision §15). Its template is a
 * JSON object with `migration_id`, the reviewed `digest` and, if data may be lost,
 * `accept_data_loss: true`. After a crash, the migration's record, which names the step, and the
 * database's schema tell whether the migration took effect.
 */
export function applyMigrationTool(
  migrations: MigrationService,
  rights: ApplyMigrationRights,
): JsonTool {
  return {
    target: new ApplyMigrationTarget(migrations, rights),
    intent: "admin",
    compile: (template) => {
      const call = callIn(template);
      if (typeof call === "string") throw new AppError("INVALID_PLAN", call);
      return { sql: template, binds: [] };
    },
  };
}

class ApplyMigrationTarget implements StepTarget {
  readonly name = APPLY_MIGRATION;
  readonly #migrations: MigrationService;
  readonly #rights: ApplyMigrationRights;
  readonly named: NamedMigrations;

  constructor(migrations: MigrationService, rights: ApplyMigrationRights) {
    this.#migrations = migrations;
    this.#rights = rights;
    this.named = new NamedInCalls(migrations, rights);
  }

  /**
   * A migration that has begun runs to its end. The step's time limit and cancellation no longer
   * apply.
   */
  async run(
    { sql, attempt: step, caller }: StatementRequest,
    signal: AbortSignal,
  ): Promise<StatementResult> {
    const { id, ...options } = checkedCall(sql);
    if (signal.aborted) throw new StatementError("aborted", "The step was cancelled before it ran");
    try {
      await this.#rights.mayApply(caller);
      return resultOf(await this.#migrations.apply(caller, id, { ...options, step }), step);
    } catch (error) {
      throw toStatementError(error);
    }
  }

  async settle(step: AttemptRef, sql: string): Promise<StatementResult | undefined> {
    const { id } = checkedCall(sql);
    try {
      const migration = await this.#migrations.settle(step.orgId, id, step);
      return migration === undefined ? undefined : resultOf(migration, step);
    } catch (cause) {
      const message = "It cannot be determined now whether the migration was applied";
      throw new StatementError("connection", message, { cause });
    }
  }

  /** Nothing to delete: which step ran a migration stays in the migration's history. */
  forget(): void {}
}

class NamedInCalls implements NamedMigrations {
  readonly #migrations: MigrationService;
  readonly #rights: ApplyMigrationRights;

  constructor(migrations: MigrationService, rights: ApplyMigrationRights) {
    this.#migrations = migrations;
    this.#rights = rights;
  }

  async migrationOf(caller: Caller, sql: string): Promise<ApprovedMigration> {
    const { id } = checkedCall(sql);
    const migration = await this.#migrations.show(caller, id);
    return { id, digest: migrationDigest(migration), author: migration.author };
  }

  async statementOf(caller: Caller, sql: string): Promise<PlannedStatement | undefined> {
    const { id } = checkedCall(sql);
    let migration: Migration;
    try {
      migration = await this.#migrations.show(caller, id);
    } catch (error) {
      if (AppError.from(error).code === "NOT_FOUND") return undefined;
      throw error;
    }
    const { base, target } = schemasOf(migration);
    const effects = (): readonly MigrationEffect[] => migrationEffects(base, target);
    return migrationStatement(this.#rights, caller, { database: migration.database, effects });
  }
}

function checkedCall(template: string): Call {
  const call = callIn(template);
  if (typeof call === "string") throw new StatementError("statement", call);
  return call;
}

/** Parses a template's arguments; a text is the reason for refusing them. */
function callIn(template: string): Call | string {
  const given = objectIn(template);
  if (given === undefined) {
    return `${APPLY_MIGRATION} takes a JSON object, such as {"migration_id": "…"}`;
  }
  const { migration_id: id, accept_data_loss: acceptDataLoss = false, digest, ...others } = given;
  const [other] = Object.keys(others);
  if (other !== undefined) return `${APPLY_MIGRATION} takes no ${JSON.stringify(other)}`;
  if (typeof id !== "string" || !isUuid(id)) return "migration_id must be the UUID of a migration";
  if (typeof acceptDataLoss !== "boolean") return "accept_data_loss must be true or false";
  if (digest === undefined) return { id, acceptDataLoss };
  if (typeof digest === "string" && isMigrationDigest(digest))
    return { id, acceptDataLoss, digest };
  return "digest must be the digest of the migration: 64 hexadecimal digits";
}

function objectIn(template: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const given: unknown = JSON.parse(template);
    if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
    return { ...given };
  } catch {
    return undefined;
  }
}

/** The result, which is the same for every retry of a step. */
function resultOf(migration: Migration, step: AttemptRef): StatementResult {
  const { base, target } = schemasOf(migration);
  const row = {
    migration_id: migration.id,
    database: migration.database,
    commit: runOfStep(migration, step)?.commit ?? migration.commits.at(-1) ?? null,
    base_root: migration.baseRoot,
    target_root: migration.targetRoot,
  };
  return {
    rowCount: 1,
    outputJson: JSON.stringify([row]),
    columnTypes: [],
    rowsKept: 1,
    rowCountIsLowerBound: false,
    schemaDeltas: tableDeltas(base, target),
  };
}

/** An error caused by the caller ends the step. After any other error the outcome is unknown. */
function toStatementError(error: unknown): StatementError {
  const { code, message } = AppError.from(error);
  const options = { cause: error };
  switch (code) {
    case "POLICY_DENIED":
      return new StatementError("intent", message, options);
    case "NOT_FOUND":
    case "INVALID_ARGUMENT":
    case "STATE_CONFLICT":
    case "APPROVAL_REQUIRED":
    case "STEP_FAILED":
      return new StatementError("statement", message, options);
    default:
      return new StatementError("connection", message, options);
  }
}
