import { DatabaseError } from "pg";
import {
  StatementError,
  type AttemptRef,
  type StatementRequest,
  type StatementResult,
} from "../../plans/ports.js";
import type { KnownStatement } from "../sql-target/admission.js";
import { MARKER_RIGHTS, markerProblem, type MarkerRights } from "../marker-rights.js";
import { isOutcomeUnknown } from "@steward/postgres";
import { limitsOf, requireFewRows } from "../sql-target/statement-limits.js";
import { deltasBetween } from "../sql-target/schema-deltas.js";
import type { AskedStatement, Descriptions, SeenRows } from "./touched/descriptions.js";
import { changedRows, COUNT_TEXT, countIn } from "./changed-rows.js";
import { readSchema } from "./read-schema.js";
import type { Session } from "./session.js";
import type { RoleOf, StatementRunner } from "./statement-runner.js";
import {
  applyMarker,
  createMarkerTable,
  fenceMarker,
  findMarker,
  purgeMarkers,
} from "./step-markers.js";
import type { Stopper } from "./stopper.js";
import { beginCommands, enterCommands, LEAVE_ROLE, textOf } from "./transaction.js";

/**
 * Maximum number of markers to delete with the next write; further markers are deleted when they
 * are old.
 */
const FORGOTTEN_MAX = 1000;
/** The result of a write: `unknown` when the connection was lost after COMMIT was sent. */
export type Written =
  | { readonly outcome: "applied"; readonly result: StatementResult }
  | { readonly outcome: "unknown"; readonly cause: unknown };

/** A write that has to be described for policies. */
type AskedWrite = AskedStatement & { readonly request: StatementRequest };

/** Runs writes, each in one transaction with its marker, so that each takes effect once. */
export class Writes {
  readonly #runner: StatementRunner;
  readonly #descriptions: Descriptions;
  readonly #rowsMax: number;
  readonly #roleOf: RoleOf;
  #forgotten: AttemptRef[] = [];
  #isPurged = false;

  /** @param rowsMax rows that one write may change. */
  constructor(
    {
      runner,
      descriptions,
    }: { readonly runner: StatementRunner; readonly descriptions: Descriptions },
    rowsMax: number,
    roleOf: RoleOf,
  ) {
    this.#runner = runner;
    this.#descriptions = descriptions;
    this.#rowsMax = rowsMax;
    this.#roleOf = roleOf;
  }

  /**
   * Runs a write. If an attempt of its step already took effect, returns the result of that
   * attempt.
   * @throws errors before COMMIT was sent; the transaction is then rolled back or still open.
   */
  async run(
    session: Session,
    request: StatementRequest,
    statement: KnownStatement,
    stopper: Stopper,
  ): Promise<Written> {
    const { attempt } = request;
    const { orgId } = attempt;
    const role = this.#roleOf(orgId);
    const asked = { request, statement, role };
    let seen: SeenRows = [];
    let countedBefore = 0;
    const begin = async (): Promise<void> => {
      const owner = { orgId, timeoutMs: stopper.remainingMs };
      // The login role reads and writes markers, so organizations need no right to them.
      const enter =
        role === undefined
          ? textOf(enterCommands(undefined, request.binds)) + this.#descriptions.versionText(asked)
          : "";
      const results = await session.commandResults(
        textOf(beginCommands("READ WRITE", owner)) + COUNT_TEXT + enter,
      );
      seen = results.at(-1) ?? [];
      countedBefore = countIn(results);
    };
    const earlier = await withMarkerTable(session, async () => {
      await begin();
      return findMarker(session, attempt);
    });
    if (earlier?.outcome === "applied") return { outcome: "applied", result: earlier.result };
    if (earlier !== undefined && earlier.attempt >= attempt.attempt) throw givenUp();
    const forget = this.#forgotten.splice(0);
    try {
      const result = await this.#effect(session, asked, { seen, countedBefore });
      const apply = (): Promise<boolean> => applyMarker(session, attempt, result, forget);
      if (!(await onMarkers(session, apply))) {
        return { outcome: "applied", result: await othersResult(session, attempt) };
      }
      const confirmed = request.confirm?.();
      if (confirmed !== undefined) await confirmed;
      return await commit(session, result);
    } catch (error) {
      this.#forgotten.push(...forget);
      throw error;
    }
  }

  /** The result of the step's write, or `undefined` after it has been prevented permanently. */
  async settle(
    session: Session,
    attempt: AttemptRef,
    timeoutMs: number,
  ): Promise<StatementResult | undefined> {
    const marker = await withMarkerTable(session, async () => {
      session.begin(beginCommands("READ WRITE", { orgId: attempt.orgId, timeoutMs }));
      await fenceMarker(session, attempt);
      return findMarker(session, attempt);
    });
    await session.command("COMMIT");
    return marker?.outcome === "applied" ? marker.result : undefined;
  }

  /** Deletes the marker together with the next write. */
  forget(attempt: AttemptRef): void {
    this.#forgotten.push(attempt);
    if (this.#forgotten.length > FORGOTTEN_MAX) this.#forgotten.shift();
  }

  async #effect(
    session: Session,
    asked: AskedWrite,
    atBegin: { readonly seen: SeenRows; readonly countedBefore: number },
  ): Promise<StatementResult> {
    const { request, statement, role } = asked;
    if (!this.#isPurged) {
      this.#isPurged = true;
      await onMarkers(session, () => purgeMarkers(session));
    }
    const seen =
      role === undefined
        ? atBegin.seen
        : await session.commandRows(
            textOf(enterCommands(role, request.binds)) + this.#descriptions.versionText(asked),
          );
    const grant = await this.#descriptions.permit(session, asked, seen);
    // Only a change of the schema can make the cached schema outdated; other sessions' changes are
    // noticed when they are reported.
    const before = statement.statementClass === "admin" ? await readSchema(session) : undefined;
    const rows = await this.#runner.run(session, request, statement);
    const changed = await changedRows(session, atBegin.countedBefore);
    requireFewRows(changed, { ...limitsOf(grant, request), rowsMax: this.#rowsMax });
    const schemaDeltas =
      before === undefined ? [] : deltasBetween(before, await readSchema(session));
    if (role !== undefined) await session.command(LEAVE_ROLE);
    return { ...rows, schemaDeltas };
  }
}

async function commit(session: Session, result: StatementResult): Promise<Written> {
  try {
    await session.command("COMMIT");
    return { outcome: "applied", result };
  } catch (error) {
    if (isOutcomeUnknown(error)) return { outcome: "unknown", cause: error };
    throw error;
  }
}

/** Another attempt of the step was faster, or this attempt was abandoned while it ran. */
async function othersResult(session: Session, attempt: AttemptRef): Promise<StatementResult> {
  await session.command("ROLLBACK");
  const marker = await findMarker(session, attempt);
  if (marker?.outcome === "applied") return marker.result;
  throw givenUp();
}

/**
 * Runs work that needs the marker table; if the table is missing, creates it and runs the work
 * again.
 */
async function withMarkerTable<Result>(
  session: Session,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await onMarkers(session, work);
  } catch (error) {
    if (!isMissingTable(error)) throw error;
    await session.command("ROLLBACK");
    await makeMarkerTable(session);
    return onMarkers(session, work);
  }
}

/**
 * SQLSTATEs of CREATE TABLE IF NOT EXISTS when another session has just created the table:
 * `unique_violation`, `duplicate_table`, and `duplicate_object` when it committed between the server's look
 * for the table and its look for the table's row type.
 */
const CREATED_MEANWHILE: ReadonlySet<string> = new Set(["23505", "42P07", "42710"]);

async function makeMarkerTable(session: Session): Promise<void> {
  try {
    await onMarkers(session, () => createMarkerTable(session));
  } catch (error) {
    const code = error instanceof DatabaseError ? error.code : undefined;
    if (code === undefined || !CREATED_MEANWHILE.has(code)) throw error;
  }
}

/** SQLSTATEs `insufficient_privilege`, and `invalid_schema_name` where the role may use no schema. */
const MAY_NOT: ReadonlySet<string> = new Set(["42501", "3F000"]);

/**
 * Runs statements on the marker table.
 * @throws StatementError with the SQL to run when the login role lacks a right to the table; else what the work throws.
 */
async function onMarkers<Result>(session: Session, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseError) || !MAY_NOT.has(error.code ?? "")) throw error;
    await session.rollback();
    await requireMarkers(session);
    throw error;
  }
}

/** @throws StatementError with the SQL to run when the login role lacks a right to the marker table. */
export async function requireMarkers(session: Session): Promise<void> {
  const [row] = await session.query(`SELECT current_user AS role, ${MARKER_RIGHTS}`);
  // The columns are those of the query.
  const problem = row === undefined ? undefined : markerProblem(row as MarkerRights);
  if (problem === undefined) return;
  const { found, owner, sql } = problem;
  // Without the server's error as its cause: corrections for the agent's own statement would be wrong.
  throw new StatementError("statement", found, { hints: [`Ask ${owner} to run \`${sql}\``] });
}

function isMissingTable(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "42P01";
}

function givenUp(): StatementError {
  return new StatementError("rolled_back", "This attempt was abandoned before it took effect");
}
