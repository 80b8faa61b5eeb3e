import {
  ApprovalRequired,
  changesIn,
  type Intent,
  type PlannedStatement,
  ROW_CHANGES,
  type StatementGrant,
  type TouchedData,
} from "../governance/index.js";
import { AppError } from "@steward/kernel/errors.js";
import { approvalRequired, forbiddenDespite, needsOnlyApproval } from "./denial.js";
import type {
  CompiledPolicies,
  PolicyDecision,
  PolicyPrincipal,
  PolicyRequest,
  RequestContext,
  StatementContext,
} from "./ports.js";
import type { StatementRequest } from "./touched-parts.js";
import { groupsOf, namesOf, partsOf, type Part, usableInstead } from "./touched-parts.js";

/** The service's own limits for statements. */
export interface StatementLimits {
  /** Agentic activity units of an intent. */
  readonly aauOf: (intent: Intent) => number;
  /** Rows that a write may change, unless a policy sets a lower limit. */
  readonly rowsChangedMax: number;
}

/** A statement and its caller. */
export interface AskedStatement {
  readonly principal: PolicyPrincipal;
  readonly statement: PlannedStatement;
  readonly circumstances: RequestContext;
}

/** The policies that decide. */
export interface Policies {
  readonly decide: (request: PolicyRequest) => PolicyDecision;
  readonly refusal: (request: PolicyRequest, decision: PolicyDecision) => AppError;
  /** Whether a policy mentions a type or an attribute of this name. */
  readonly mentions: (name: string) => boolean;
  /** Hash of the texts of these policies. */
  readonly version: string;
}

/**
 * Decides on a statement: as a whole, then for each table and each column that it touches. A policy
 * that forbids changing more than some rows (`@rows_changed_max`) is a limit, not a refusal: the
 * statement may run within it.
 * @throws AppError `POLICY_DENIED`; ApprovalRequired, naming every demand for an approval, when all
 * policies that forbid it can be met by approvals.
 */
export function permitStatement(
  asked: AskedStatement,
  limits: StatementLimits,
  policies: Policies,
): StatementGrant {
  try {
    return permitAsked(asked, limits, policies);
  } catch (refusal) {
    if (!(refusal instanceof ApprovalRequired) || asked.circumstances.approved) throw refusal;
    requirePermittedIfApproved(asked, limits, policies);
    throw refusal;
  }
}

/** Nobody is asked to approve what is not permitted even then. @throws AppError `POLICY_DENIED`. */
function requirePermittedIfApproved(
  asked: AskedStatement,
  limits: StatementLimits,
  policies: Policies,
): void {
  const circumstances = { ...asked.circumstances, approved: true };
  try {
    permitAsked({ ...asked, circumstances }, limits, policies);
  } catch (refusal) {
    throw refusal instanceof ApprovalRequired ? forbiddenDespite(refusal) : refusal;
  }
}

function permitAsked(
  asked: AskedStatement,
  limits: StatementLimits,
  policies: Policies,
): StatementGrant {
  const { version: policyVersion } = policies;
  const answers = answersOf(asked, limits, policies);
  const rowsChangedMax = lowestLimit(answers);
  if (rowsChangedMax === Infinity) {
    requirePermitted(answers, asked, policies);
    const isUnlimited = answers.whole.every(({ decision }) =>
      decision.policies.some((policy) => policy.mayChangeUncounted === true),
    );
    return { policyVersion, ...(isUnlimited ? { mayChangeUncounted: true } : {}) };
  }
  const within = answersOf(asked, { ...limits, rowsChangedMax }, policies);
  requirePermitted(within, asked, policies);
  return { rowsChangedMax, policyVersion };
}

/**
 * Whether the policies may depend on changes that the text of a statement does not tell: those of
 * triggers and cascades. They do when a policy names one kind of change, or distinguishes
 * statements by their intent or weight.
 * @param kinds what the statement does by its text.
 */
export function asksForEffects(
  policies: Pick<CompiledPolicies, "names">,
  kinds: readonly Intent[],
): boolean {
  return mayHaveEffects(kinds) && policies.names([...ROW_CHANGES, "intent", "aau"]);
}

/** A change of a schema is decided as that, whatever the engine writes for it. */
function mayHaveEffects(kinds: readonly Intent[]): boolean {
  return !kinds.includes("admin") && ROW_CHANGES.some((change) => kinds.includes(change));
}

/** The decision on one kind of change that a statement makes, or on its declared intent. */
interface Answer {
  readonly action: Intent;
  readonly request: StatementRequest;
  readonly decision: PolicyDecision;
}

/** The decisions on a statement as a whole and on each part that it touches. */
interface Answers {
  readonly whole: readonly [Answer, ...Answer[]];
  readonly parts: readonly Part[];
}

/** One question about a statement as a whole. */
interface StatementQuestion {
  readonly action: Intent;
  /** The intent whose weight counts. */
  readonly weighed: Intent;
}

/**
 * The questions about a statement: everything that it does, by its text and by what the engine
 * reports, and then the intent that its step declares. What a step declares therefore adds a
 * question and changes none.
 */
function questionsAbout({
  intent,
  kinds = [intent],
  touched,
}: PlannedStatement): readonly [StatementQuestion, ...StatementQuestion[]] {
  const [weighed = intent, ...others] = kinds;
  const effects = touched !== undefined && mayHaveEffects(kinds) ? changesIn(touched) : [];
  const done = new Set([...others, ...effects]);
  done.delete(weighed);
  const derived = [...done].map((action) => ({ action, weighed }));
  const isDeclared = intent !== weighed && !done.has(intent);
  return [
    { action: weighed, weighed },
    ...derived,
    ...(isDeclared ? [{ action: intent, weighed: intent }] : []),
  ];
}

function answersOf(asked: AskedStatement, limits: StatementLimits, policies: Policies): Answers {
  const { principal, statement } = asked;
  const { dataSource, intent, touched } = statement;
  const context = contextOf(asked, limits, policies);
  const resource = { kind: "dataSource", orgId: principal.orgId, dataSource } as const;
  const answerTo = ({ action, weighed }: StatementQuestion): Answer => {
    const request = {
      ...{ principal, action, actionGroups: groupsOf(action), resource },
      context: { ...context, intent: action, aau: limits.aauOf(weighed) },
    };
    return { action, request, decision: policies.decide(request) };
  };
  const [first, ...others] = questionsAbout(statement);
  const whole = [answerTo(first), ...others.map(answerTo)] as const;
  if (touched === undefined || (!policies.mentions("Table") && !policies.mentions("Column"))) {
    return { whole, parts: [] };
  }
  const asWhole = whole.filter(({ action }, index) => index === 0 || action === intent);
  const parts = asWhole.flatMap(({ action, request }) =>
    partsOf(request, { intent: action, touched }, policies),
  );
  return { whole, parts };
}

function contextOf(
  { statement: { touched = NOTHING }, circumstances }: AskedStatement,
  { rowsChangedMax }: StatementLimits,
  { mentions }: Policies,
): Omit<StatementContext, "intent" | "aau"> {
  // Tables and columns that no policy mentions are left out of the request, so that statements on
  // different data share a cached decision.
  const names = touched.tables.map((table) => ({ ...table, names: namesOf(table) }));
  const columns = names.flatMap((table) =>
    Object.values(table.accesses).flatMap((touchedColumns) =>
      touchedColumns.flatMap((column) => table.names.map((name) => `${name}/${column}`)),
    ),
  );
  return {
    ...{ ...circumstances, rowsChangedMax },
    tables: mentions("tables") ? names.flatMap((table) => table.names) : [],
    columns: mentions("columns") ? [...new Set(columns)] : [],
    functions: mentions("functions") ? touched.functions : [],
  };
}

const NOTHING: TouchedData = { tables: [], functions: [] };

function lowestLimit({ whole, parts }: Answers): number {
  const decisions = [
    ...whole.map(({ decision }) => decision),
    ...parts.flatMap(({ denial }) => denial?.decision ?? []),
  ];
  const limits = decisions.flatMap(({ permitted, policies }) =>
    permitted ? [] : policies.map(({ rowsChangedMax = Infinity }) => rowsChangedMax),
  );
  return Math.min(...limits, Infinity);
}

/** Maximum number of usable names in a refusal. */
const INSTEAD_NAMES_MAX = 60;

function requirePermitted(
  { whole, parts }: Answers,
  { statement: { touched = NOTHING } }: AskedStatement,
  policies: Policies,
): void {
  const refusals = whole.filter(({ decision }) => !decision.permitted);
  const final = refusals.find(({ decision }) => !needsOnlyApproval(decision.policies));
  if (final !== undefined) throw policies.refusal(final.request, final.decision);
  const forbidding = refusals.flatMap(({ decision }) => decision.policies);
  const { request } = refusals[0] ?? whole[0];
  const refused = parts.flatMap(({ name, denial }) =>
    denial === undefined ? [] : { name, denial },
  );
  // Refusals that no approval can lift come first.
  const denied = refused.filter(({ denial }) => !needsOnlyApproval(denial.decision.policies));
  const [first] = denied;
  if (first === undefined) {
    const all = [...forbidding, ...refused.flatMap(({ denial }) => denial.decision.policies)];
    if (all.length === 0) return;
    const { rowsChangedMax } = request.context;
    throw approvalRequired(request.action, all, {
      policyVersion: policies.version,
      rowsChangedMax,
    });
  }
  const error = policies.refusal(first.denial.request, first.denial.decision);
  const names = [...new Set(denied.map(({ name }) => name))];
  const left = usableInstead(request, { parts, touched }, policies).slice(0, INSTEAD_NAMES_MAX);
  throw new AppError(error.code, `${error.message}: denied here: ${names.join(", ")}`, {
    details: [
      ...error.details,
      ...names.map((name) => ({ field: name, reason: `${name} may not be used` })),
      ...(left.length === 0 ? [] : [instead(left)]),
    ],
  });
}

/** A hint for the LLM: the tables and columns that it may still use. */
function instead(names: readonly string[]): { readonly field: string; readonly reason: string } {
  return {
    field: "instead",
    reason: `Write the statement without them; it may still use ${names.join(", ")}`,
  };
}
