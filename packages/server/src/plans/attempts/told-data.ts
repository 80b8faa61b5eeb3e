import { AppError } from "@steward/kernel/errors.js";
import { recordedData, type StatementReader } from "../../governance/index.js";
import type { RecordedData } from "../../kernel/tool-call.js";
import { quoted } from "../../kernel/written-name.js";
import type { StoredResult } from "../engine/index.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { PreparedStep } from "../plan.js";
import { StatementError, type ToolRegistry } from "../ports.js";
import { namedBy } from "./permit-steps.js";

/** Time limit for the description of a statement whose touched data were not recorded, in ms. */
const DESCRIBE_MS_MAX = 5_000;

/** Dependencies of {@link ToldData}. */
export interface ToldDataParts {
  readonly reader: StatementReader;
  readonly tools: ToolRegistry;
  /** How long a statement may wait for its turn at its data source, in ms. */
  readonly stepWaitMs: number;
}

/** Statements that may still be described for a request. */
export interface DescribeBudget {
  left: number;
}

/** The data of which a stored result can tell: by its rows, its error and its hints. */
export class ToldData {
  readonly #parts: ToldDataParts;

  constructor(parts: ToldDataParts) {
    this.#parts = parts;
  }

  /**
   * What was recorded with the result. No policy depended on data when older results were stored; for
   * these the database says what the statement touches now.
   * @param stored absent: the step has no result any more, only an error of an earlier attempt.
   * @param budget how many statements may still be described for the request; absent: any number.
   * @returns `undefined` for a result that tells of no data.
   * @throws AppError `POLICY_DENIED` when that cannot be told.
   */
  async by(
    ctx: QueryRuntimeContext,
    step: PreparedStep,
    stored: StoredResult | undefined,
    budget: DescribeBudget | undefined,
  ): Promise<RecordedData | undefined> {
    const touched = stored?.call?.touched;
    if (touched !== undefined) return touched;
    if (stored !== undefined && tellsNoValues(step, stored)) return undefined;
    if (budget !== undefined && (budget.left -= 1) < 0) return unknownData();
    const { sql, binds } = step.statement;
    return (
      (await this.#described(ctx, step, sql, binds.length)) ??
      (stored?.call?.status === "failed" ? await this.#wholeTables(ctx, step) : undefined) ??
      unknownData()
    );
  }

  /** All of the tables that a statement names which the database refuses, now as it did then. */
  async #wholeTables(
    ctx: QueryRuntimeContext,
    step: PreparedStep,
  ): Promise<RecordedData | undefined> {
    const tables = (await namedBy(step, ctx.orgId, this.#parts))?.tables ?? [];
    if (tables.length === 0) return undefined;
    const names = tables.map(({ name }) => name.split(".").map(quoted).join("."));
    const sql = `SELECT * FROM ${names.join(", ")}`;
    return this.#described(ctx, { ...step, statementClass: "read_select" }, sql, 0);
  }

  async #described(
    ctx: QueryRuntimeContext,
    { dataSource, statementClass: intent }: PreparedStep,
    sql: string,
    parameterCount: number,
  ): Promise<RecordedData | undefined> {
    const target = this.#parts.tools.target(dataSource);
    if (target === undefined) return undefined;
    // A tool that takes no SQL touches no tables that policies could name.
    if (!("dialect" in target)) return { tables: [], functions: [] };
    const limits = { waitMs: this.#parts.stepWaitMs, timeoutMs: DESCRIBE_MS_MAX };
    const asked = { sql, intent, parameterCount, caller: ctx, ...limits };
    try {
      return recordedData((await target.describe(asked, ctx.signal)).touched);
    } catch (error) {
      if (error instanceof StatementError && error.reason !== "aborted") return undefined;
      throw error;
    }
  }
}

/** @throws AppError `POLICY_DENIED`. */
export function unknownData(): never {
  throw new AppError(
    "POLICY_DENIED",
    "policies of the organization depend on tables and columns, and it was not recorded which ones " +
      "the statement touched: run the statement again in a new step",
  );
}

/**
 * Whether a result tells no values of the database. An error may quote them, and the number of rows may depend on
 * them. A change of the schema returns no rows, its hints only name tables, and it cannot be described any more.
 */
function tellsNoValues(
  { statementClass }: PreparedStep,
  { call, toolOutputJson }: StoredResult,
): boolean {
  if (toolOutputJson !== "[]") return false;
  // A step that was refused before it reached its tool.
  if (call === undefined) return true;
  return call.status === "completed" && statementClass === "admin";
}
