import { setImmediate } from "node:timers/promises";
import { type Caller, partyName, type RecordedCaller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import {
  ApprovalRequired,
  type NeededApproval,
  type PlannedStatement,
  type StatementDecision,
  type StatementGrant,
} from "../governance/index.js";
import type { Asker } from "./principal.js";

/*
 * A statement runs with the rights that its caller and all its writers have in common. Otherwise a writer who may
 * not run it could have somebody run it who may: the confused deputy.
 */

type IsApproved = (needed: NeededApproval) => boolean;

/** Asks about each writer of the caller's statement. A refusal names the writer. */
export function forEachWriter(caller: Caller, ask: (writer: Asker) => void): void {
  for (const writer of caller.writers ?? []) askedAs(writer, caller, ask);
}

/**
 * Permits a statement to its caller and its writers.
 * @param permit Permits it to one of them; `isMet` is asked whether the approval that it needs is given.
 * @param isApproved See `StatementPolicy.permit`; asked once about what all of them need.
 * @returns what all of them are granted.
 */
export function permitToAll(
  caller: Caller,
  permit: (asker: Asker, isMet: (refusal: ApprovalRequired) => boolean) => StatementGrant,
  isApproved: IsApproved | undefined,
): StatementGrant {
  if (caller.writers === undefined) {
    return permit(caller, ({ needed }) => isApproved?.(needed) === true);
  }
  const required: ApprovalRequired[] = [];
  const ask = (asker: Asker): StatementGrant =>
    permit(asker, (refusal) => required.push(refusal) > 0);
  let grant = ask(caller);
  for (const writer of caller.writers) grant = common(grant, askedAs(writer, caller, ask));
  const [first, ...others] = required;
  if (first === undefined) return grant;
  const all = others.reduce(joined, first);
  if (isApproved?.(all.needed) !== true) throw all;
  return grant;
}

/**
 * Permits a statement and everything that runs by it. The approvals that they need are needed together.
 * @param permit Permits one of them; see {@link permitToAll}.
 */
export async function permitWithRuns(
  statement: PlannedStatement,
  runs: readonly PlannedStatement[],
  permit: (one: PlannedStatement, isApproved: IsApproved | undefined) => StatementGrant,
  isApproved: IsApproved | undefined,
): Promise<StatementGrant> {
  const required: ApprovalRequired[] = [];
  for (const one of [statement, ...runs]) {
    try {
      permit(one, undefined);
    } catch (refusal) {
      if (!(refusal instanceof ApprovalRequired)) throw refusal;
      required.push(refusal);
    }
    // A migration may change a thousand tables.
    await setImmediate();
  }
  const [first, ...others] = required;
  if (first !== undefined) {
    const all = others.reduce(joined, first);
    if (isApproved?.(all.needed) !== true) throw all;
  }
  return permit(statement, () => true);
}

/**
 * The decision about a statement, and what runs by it, for the caller and its writers: the one that forbids the
 * most, or else their common grant.
 */
export function decideForAll(
  caller: Caller,
  statement: PlannedStatement,
  decide: (asker: Asker, one: PlannedStatement) => StatementDecision,
): StatementDecision {
  const decisions = [statement, ...(statement.runs ?? [])].flatMap((one) => [
    decide(caller, one),
    ...(caller.writers ?? []).map((writer) => {
      const { reason, ...decision } = decide({ ...writer, orgId: caller.orgId }, one);
      return { ...decision, ...(reason && { reason: reasonOf(writer, reason) }) };
    }),
  ]);
  const verdict = (["deny", "approval"] as const).find((worst) =>
    decisions.some((decision) => decision.verdict === worst),
  );
  return (
    decisions.find((decision) => decision.verdict === verdict) ??
    decisions.reduce((one, other) => ({ ...one, ...common(one, other) }))
  );
}

function askedAs<Answer>(
  writer: RecordedCaller,
  { orgId }: Caller,
  ask: (writer: Asker) => Answer,
): Answer {
  try {
    return ask({ ...writer, orgId });
  } catch (refusal) {
    if (!(refusal instanceof AppError) || refusal.code !== "POLICY_DENIED") throw refusal;
    const { code, message, details } = refusal;
    throw new AppError(code, reasonOf(writer, message), { details, cause: refusal });
  }
}

function reasonOf(writer: RecordedCaller, reason: string): string {
  return (
    `The right of ${partyName(writer)}, who wrote this statement, is missing: ${reason}. Whoever may run it ` +
    "can submit it in a plan of their own"
  );
}

/** What both grants allow. */
function common(one: StatementGrant, other: StatementGrant): StatementGrant {
  const { policyVersion } = one;
  const rowsChangedMax = Math.min(one.rowsChangedMax ?? Infinity, other.rowsChangedMax ?? Infinity);
  return {
    ...(policyVersion === undefined ? {} : { policyVersion }),
    ...(rowsChangedMax === Infinity ? {} : { rowsChangedMax }),
    ...(one.mayChangeUncounted === true && other.mayChangeUncounted === true
      ? { mayChangeUncounted: true }
      : {}),
  };
}

/** One refusal that names all approvals which two refusals need. */
function joined(one: ApprovalRequired, other: ApprovalRequired): ApprovalRequired {
  const [first, second] = [one.needed, other.needed];
  const rules = new Map([...first.rules, ...second.rules].map((rule) => [rule.policyId, rule]));
  const fields = new Map([...one.details, ...other.details].map((each) => [each.field, each]));
  const rowsChangedMax = Math.min(
    first.rowsChangedMax ?? Infinity,
    second.rowsChangedMax ?? Infinity,
  );
  return new ApprovalRequired(
    one.message === other.message ? one.message : `${one.message}; ${other.message}`,
    {
      rules: [...rules.values()],
      policyVersion: first.policyVersion,
      ...(rowsChangedMax === Infinity ? {} : { rowsChangedMax }),
    },
    { details: [...fields.values()] },
  );
}
