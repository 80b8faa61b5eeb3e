import { setImmediate } from "node:timers/promises";
import type { Caller } from "@steward/kernel/caller.js";
import { whenKnown } from "@steward/kernel/concurrency/when-known.js";
import { AppError } from "@steward/kernel/errors.js";
import {
  ApprovalRequired,
  type Intent,
  kindsOfClass,
  namedData,
  type NeededApproval,
  type PlannedStatement,
  type StatementAnalysis,
  type StatementGrant,
  type StatementPolicy,
  type StatementReader,
  type TouchedData,
} from "../../governance/index.js";
import { fieldInPlan, type FieldOfStep } from "../dag.js";
import type { PreparedStep } from "../plan.js";
import type { ToolRegistry } from "../ports.js";

/** Dependencies of the decision on steps. */
export interface PermitParts {
  readonly policy: StatementPolicy;
  readonly reader: StatementReader;
  readonly tools: ToolRegistry;
}

/** Number of steps to decide on before the event loop gets a turn. */
const STEPS_AT_ONCE = 20;

/**
 * Checks that the submitter may run the steps of a plan, based on what their statements name. Each
 * step is checked again when it runs, for the caller who runs it. A step that persons have to approve
 * is accepted: it waits for them when it is executed.
 * @throws AppError `POLICY_DENIED`, naming the first refused step.
 */
export async function permitSteps(
  caller: Caller,
  steps: readonly PreparedStep[],
  parts: PermitParts,
  fieldOf: FieldOfStep = fieldInPlan,
): Promise<void> {
  for (const step of steps) {
    const { index } = step;
    if (index % STEPS_AT_ONCE === STEPS_AT_ONCE - 1) await setImmediate();
    try {
      const permitted = permitStep(caller, step, parts);
      if (permitted instanceof Promise) await permitted;
    } catch (error) {
      if (!(error instanceof ApprovalRequired)) throw ofStep(error, fieldOf(index));
    }
  }
}

/**
 * Checks one step, based on what its statement names.
 * @param isApproved see {@link StatementPolicy.permit}.
 * @returns a promise unless it is permitted by policies in memory; a refusal rejects with an AppError
 * `POLICY_DENIED` or an ApprovalRequired.
 */
export function permitStep(
  caller: Caller,
  step: PreparedStep,
  parts: PermitParts,
  isApproved?: (needed: NeededApproval) => boolean,
): StatementGrant | Promise<StatementGrant> {
  const { policy } = parts;
  const asked = (touched: TouchedData | undefined): StatementGrant | Promise<StatementGrant> => {
    const planned = withCalled(plannedStatement(step, touched), step, caller, parts);
    const grant = whenKnown(planned, (called) => policy.permit(caller, called, isApproved));
    if (!(grant instanceof Promise)) return grant;
    return grant.catch(async (error: unknown) => {
      throw await withUnknownFunction(error, step, caller.orgId, parts);
    });
  };
  return whenKnown(policy.looksAtData(caller, kindsOf(step)), (looksAtData) =>
    looksAtData ? namedBy(step, caller.orgId, parts).then(asked) : asked(undefined),
  );
}

/** The statement together with what its tool does to data sources. */
export function withCalled(
  statement: PlannedStatement,
  { dataSource, statement: { sql } }: PreparedStep,
  caller: Caller,
  { tools }: Pick<PermitParts, "tools">,
): PlannedStatement | Promise<PlannedStatement> {
  const target = tools.target(dataSource);
  if (target === undefined || "dialect" in target) return statement;
  return whenKnown(target.named?.statementOf(caller, sql), (called) => {
    if (called === undefined) return statement;
    const { runs = [], ...whole } = called;
    return { ...statement, runs: [whole, ...runs] };
  });
}

/** A denial because of a function that probably does not exist says that first. */
async function withUnknownFunction(
  error: unknown,
  step: PreparedStep,
  orgId: string,
  parts: Pick<PermitParts, "reader" | "tools">,
): Promise<unknown> {
  if (!(error instanceof AppError) || error.code !== "POLICY_DENIED") return error;
  const unknown = (await analysisOf(step, orgId, parts))?.unknownFunction;
  if (unknown === undefined) return error;
  const message = `${unknown}. If the database defines this function: ${error.message}`;
  return new AppError(error.code, message, { details: error.details, cause: error });
}

/** A step's statement as the policies are asked about it. */
export function plannedStatement(
  step: PreparedStep,
  touched: TouchedData | undefined,
): PlannedStatement {
  const known = planned.get(step);
  if (known !== undefined && known.touched === touched) return known;
  const { dataSource, intent } = step;
  const statement = { dataSource, intent, kinds: kindsOf(step), ...(touched && { touched }) };
  planned.set(step, statement);
  return statement;
}

/** A step is asked about several times; decisions are found again by the statement object. */
const planned = new WeakMap<PreparedStep, PlannedStatement>();

/** What a step's statement does by its text. Steps that were stored earlier name only its class. */
export function kindsOf({ kinds, statementClass }: PreparedStep): readonly Intent[] {
  return kinds ?? kindsOfClass(statementClass);
}

/** Cached by the analysis object, which the reader shares between equal texts. */
const named = new WeakMap<StatementAnalysis, TouchedData>();

/**
 * The tables that a statement names. Only the engine can tell how it uses them and what else it
 * touches.
 * @throws AppError `OVERLOADED`.
 */
export async function namedBy(
  step: PreparedStep,
  orgId: string,
  parts: Pick<PermitParts, "reader" | "tools">,
): Promise<TouchedData | undefined> {
  const analysis = await analysisOf(step, orgId, parts);
  if (analysis === undefined) return undefined;
  const known = named.get(analysis);
  if (known !== undefined) return known;
  const data = namedData(analysis.tables);
  named.set(analysis, data);
  return data;
}

async function analysisOf(
  { statement, dataSource }: PreparedStep,
  orgId: string,
  { reader, tools }: Pick<PermitParts, "reader" | "tools">,
): Promise<Extract<StatementAnalysis, { kind: "statement" }> | undefined> {
  const target = tools.target(dataSource);
  if (target === undefined || !("dialect" in target)) return undefined;
  const analysis = await reader.read(statement.sql, target.dialect, orgId);
  return analysis.kind === "statement" ? analysis : undefined;
}

function ofStep(error: unknown, field: string): unknown {
  if (!(error instanceof AppError)) return error;
  const details = [{ field, reason: error.message }, ...error.details];
  return new AppError(error.code, `${field}: ${error.message}`, { details, cause: error });
}
