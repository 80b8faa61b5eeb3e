import type { Caller } from "@steward/kernel/caller.js";
import type { JsonValue } from "@steward/kernel/canonical-json.js";
import {
  approvalDigest,
  areMet,
  partyOf,
  standingDigest,
  type Approval,
  type ApprovalParty,
  type ApprovalSubject,
  type ApprovedMigration,
  type ShownTable,
  type ShownValue,
} from "../../approvals/index.js";
import {
  SHOWN_TABLES_MAX,
  SHOWN_VALUE_BYTES_MAX,
  SHOWN_VALUES_MAX,
} from "../../approvals/limits.js";
import {
  type Dialect,
  isReadIntent,
  type ApprovalRule,
  type NeededApproval,
  type TouchedData,
} from "../../governance/index.js";
import { cutToBytes } from "../cut-text.js";
import type { PreparedStep } from "../plan.js";
import type { AttemptRef, AwaitedApproval, SqlValue } from "../ports.js";
import { GIVEN, type OutputRef, type PathSegment } from "../statements/compiled-statement.js";
import { givenName } from "../statements/placeholder.js";

/** Where a value comes from that is not known yet, or the value that the step gives itself. */
interface ValueSource {
  readonly from: string;
  readonly form: string;
}

/** One attempt's statement with its values, ready to run. */
export interface BoundStatement {
  readonly ref: AttemptRef;
  readonly step: PreparedStep;
  readonly binds: readonly SqlValue[];
  /** The migration that it applies. */
  readonly migration: ApprovedMigration | undefined;
  readonly caller: Caller;
  /** The approval that the attempt uses. */
  readonly approval: Approval | undefined;
  /** Absent for a tool that takes no SQL. */
  readonly dialect: Dialect | undefined;
}

/** The parts of a statement that its approval depends on. */
interface StatementToApprove extends Pick<BoundStatement, "step" | "migration"> {
  readonly ref: Pick<AttemptRef, "planId" | "stepId">;
  /** `undefined`: the values are not known yet, and the places are approved that they come from. */
  readonly binds: readonly SqlValue[] | undefined;
}

/** Identity and times of a new approval. */
export interface NewApproval {
  readonly approvalId: string;
  readonly nowMs: number;
  readonly validMs: number;
  /** What later statements must have in common with this one; `undefined`: the approval cannot stand. */
  readonly shape: string | undefined;
}

/**
 * Whether the attempt's approval covers exactly this statement, with the policies that decide now.
 * @param touched what the data source reports; `undefined` when no policy depends on it.
 */
export function isApproved(
  bound: BoundStatement,
  needed: NeededApproval,
  touched: TouchedData | undefined,
): boolean {
  const { approval } = bound;
  if (approval === undefined || approval.digest !== digestOf(bound, needed, touched)) return false;
  return areMet(needed.rules, approval.decisions);
}

/** The end of an attempt that may not run until persons have approved it. */
export function awaitingApproval(
  bound: BoundStatement,
  needed: NeededApproval,
  touched: TouchedData | undefined,
  { approvalId, nowMs, validMs, shape }: NewApproval,
): AwaitedApproval {
  return {
    kind: "awaiting_approval",
    approval: {
      approvalId,
      digest: digestOf(bound, needed, touched),
      templateDigest: digestOf({ ...bound, binds: undefined }, needed, touched),
      status: "pending",
      rules: needed.rules,
      requester: partyOf(bound.caller),
      ...(bound.migration?.author === undefined ? {} : { authors: [bound.migration.author] }),
      policyVersion: needed.policyVersion,
      requestedAtMs: nowMs,
      expiresAtMs: nowMs + validMs,
      decisions: [],
      ...shapeDigestOf(bound, needed, touched, shape),
    },
    subject: subjectOf(bound, needed, touched),
  };
}

/** What later statements need in common with this one for its approval to stand for them. */
function shapeDigestOf(
  { step, migration, caller }: BoundStatement,
  { rules, policyVersion, rowsChangedMax }: NeededApproval,
  touched: TouchedData | undefined,
  shape: string | undefined,
): Pick<Approval, "shapeDigest"> {
  if (shape === undefined || migration !== undefined) return {};
  const requester = partyOf(caller);
  const writers = step.writers?.map(partyOf) ?? [];
  if (![requester, ...writers].every(hasName)) return {};
  // A literal may be what such a function executes.
  if (touched !== undefined && touched.functions.length > 0) return {};
  if (!mayStand(rules)) return {};
  const { toolName, dataSource, intent } = step;
  return {
    shapeDigest: standingDigest({
      ...{ toolName, dataSource, intent, requester, writers },
      ...{ policyVersion, touched, rowsChangedMax },
      // No literal may vary where one may name what is changed.
      shape: touched?.namesMembers === true ? step.statement.sql : shape,
    }),
  };
}

/** Whether a party has a name; those without one cannot be told apart. */
function hasName({ userId, agentId, keyId }: ApprovalParty): boolean {
  return userId !== undefined || agentId !== undefined || keyId !== undefined;
}

/** Whether every policy that demands the approval lets it stand for later statements. */
export function mayStand(rules: readonly ApprovalRule[]): boolean {
  return rules.every(({ standingMs }) => standingMs !== undefined);
}

/** The digest by which an approval identifies a statement. */
export function digestOf(
  { ref, step, binds, migration }: StatementToApprove,
  { policyVersion }: Pick<NeededApproval, "policyVersion">,
  touched: TouchedData | undefined,
): string {
  return approvalDigest({
    statement: step.statement.sql,
    binds: binds?.map(bindJson) ?? valueSources(step).map(({ from, form }) => ({ from, form })),
    dataSource: step.dataSource,
    intent: step.intent,
    planId: ref.planId,
    stepId: ref.stepId,
    revision: step.revision ?? 1,
    ...{ policyVersion, touched, migration },
  });
}

/** The places in earlier steps' outputs that a statement's values come from, and the values that the step gives. */
export function valueSources({ statement }: PreparedStep): readonly ValueSource[] {
  return statement.binds.map((bind) => ({
    from: bind.stepId === GIVEN ? givenText(statement, bind) : sourceText(bind),
    form: bind.form,
  }));
}

function givenText({ given }: PreparedStep["statement"], ref: OutputRef): string {
  const name = givenName(ref);
  // What is given is one row.
  const [row] = JSON.parse(given?.json ?? "[]") as readonly Readonly<Record<string, unknown>>[];
  return `${name} = ${JSON.stringify(row?.[name])}`;
}

function sourceText({ stepId, path, mayBeCut }: OutputRef): string {
  return `step.${stepId}.${mayBeCut === true ? "output_cut" : "output"}${path.map(segmentText).join("")}`;
}

function segmentText(segment: PathSegment): string {
  if (segment.kind === "index") return `[${String(segment.index)}]`;
  return segment.kind === "each" ? "[*]" : `.${segment.name}`;
}

/** A value as JSON. A number becomes text, because JSON has no infinity and no negative zero. */
function bindJson(value: SqlValue): JsonValue {
  if (typeof value === "number") return { number: Object.is(value, -0) ? "-0" : String(value) };
  // The other values are made of texts and booleans.
  return value as JsonValue;
}

function subjectOf(
  { step, binds, migration }: BoundStatement,
  { rowsChangedMax }: NeededApproval,
  touched: TouchedData | undefined,
): ApprovalSubject {
  const { toolName, dataSource, intent, queryTemplate, statement, revision = 1 } = step;
  return {
    ...{ toolName, dataSource, intent, queryTemplate, revision },
    statement: statement.sql,
    values: shownValues(binds),
    valuesLeftOut: Math.max(binds.length - SHOWN_VALUES_MAX, 0),
    ...(rowsChangedMax === undefined || isReadIntent(step.intent) ? {} : { rowsChangedMax }),
    ...(touched === undefined ? {} : { tables: shownTables(touched) }),
    ...(migration === undefined ? {} : { migration }),
  };
}

/** The first values, for the eyes of an approver. */
export function shownValues(binds: readonly SqlValue[]): readonly ShownValue[] {
  return binds.slice(0, SHOWN_VALUES_MAX).map(shownValue);
}

function shownValue(value: SqlValue): ShownValue {
  if (value === null) return { text: null };
  if (typeof value === "number") return { text: String(value), type: "number" };
  if (typeof value === "string") return shownText(value);
  const type = "storage" in value ? value.storage : String(value.type);
  return value.text === null ? { text: null, type } : { ...shownText(value.text), type };
}

function shownText(whole: string): ShownValue {
  const bytes = Buffer.byteLength(whole);
  if (bytes <= SHOWN_VALUE_BYTES_MAX) return { text: whole };
  return { text: cutToBytes(whole, SHOWN_VALUE_BYTES_MAX), bytes };
}

/** The first tables, for the eyes of an approver. */
export function shownTables({ tables }: TouchedData): readonly ShownTable[] {
  return tables.slice(0, SHOWN_TABLES_MAX).map(({ name, accesses }) => ({
    name,
    // The keys of the object are the ways of access.
    accesses: Object.keys(accesses) as (keyof typeof accesses)[],
  }));
}
