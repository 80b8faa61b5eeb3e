import {
  type Intent,
  isReadIntent,
  type PlannedStatement,
  type StatementGrant,
  type TouchedData,
} from "../governance/index.js";
import { AppError } from "@steward/kernel/errors.js";
import { approvalRequired, needsOnlyApproval } from "./denial.js";
import type { PolicyDecision, PolicyPrincipal, PolicyRequest, RequestContext } from "./ports.js";
import type { StatementRequest } from "./touched-parts.js";
import { namesOf, partsOf, type Part, usableInstead } from "./touched-parts.js";

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
  const { version: policyVersion } = policies;
  const answers = answersOf(requestOf(asked, limits, policies), asked, policies);
  const rowsChangedMax = lowestLimit(answers);
  if (rowsChangedMax === Infinity) {
    requirePermitted(answers, asked, policies);
    const { policies: deciding } = answers.decision;
    const isUnlimited = deciding.some((policy) => policy.mayChangeUncounted === true);
    return { policyVersion, ...(isUnlimited ? { mayChangeUncounted: true } : {}) };
  }
  const within = requestOf(asked, { ...limits, rowsChangedMax }, policies);
  requirePermitted(answersOf(within, asked, policies), asked, policies);
  return { rowsChangedMax, policyVersion };
}

/** The decisions on a statement as a whole and on each part that it touches. */
interface Answers {
  readonly request: StatementRequest;
  readonly decision: PolicyDecision;
  readonly parts: readonly Part[];
}

function requestOf(
  { principal, statement, circumstances }: AskedStatement,
  { aauOf, rowsChangedMax }: StatementLimits,
  { mentions }: Policies,
): StatementRequest {
  const { dataSource, intent, touched = NOTHING } = statement;
  const isWrite = intent !== "admin" && !isReadIntent(intent);
  // Tables and columns that no policy mentions are left out of the request, so that statements on
  // different data share a cached decision.
  const names = touched.tables.map((table) => ({ ...table, names: namesOf(table.name) }));
  const columns = names.flatMap((table) =>
    Object.values(table.accesses).flatMap((touchedColumns) =>
      touchedColumns.flatMap((column) => table.names.map((name) => `${name}/${column}`)),
    ),
  );
  return {
    principal,
    action: intent,
    actionGroups: isWrite ? ["writes", "statements"] : ["statements"],
    resource: { kind: "dataSource", orgId: principal.orgId, dataSource },
    context: {
      ...circumstances,
      ...{ intent, aau: aauOf(intent), rowsChangedMax },
      tables: mentions("tables") ? names.flatMap((table) => table.names) : [],
      columns: mentions("columns") ? [...new Set(columns)] : [],
      functions: mentions("functions") ? touched.functions : [],
    },
  };
}

const NOTHING: TouchedData = { tables: [], functions: [] };

function answersOf(
  request: StatementRequest,
  { statement: { intent, touched } }: AskedStatement,
  policies: Policies,
): Answers {
  const decision = policies.decide(request);
  const parts =
    touched === undefined || (!policies.mentions("Table") && !policies.mentions("Column"))
      ? []
      : partsOf(request, { intent, touched }, policies);
  return { request, decision, parts };
}

function lowestLimit({ decision, parts }: Answers): number {
  const decisions = [decision, ...parts.flatMap(({ denial }) => denial?.decision ?? [])];
  const limits = decisions.flatMap(({ permitted, policies }) =>
    permitted ? [] : policies.map(({ rowsChangedMax = Infinity }) => rowsChangedMax),
  );
  return Math.min(...limits, Infinity);
}

/** Maximum number of usable names in a refusal. */
const INSTEAD_NAMES_MAX = 60;

function requirePermitted(
  { request, decision, parts }: Answers,
  { statement: { touched = NOTHING } }: AskedStatement,
  policies: Policies,
): void {
  const forbidding = decision.permitted ? [] : decision.policies;
  if (!decision.permitted && !needsOnlyApproval(forbidding)) {
    throw policies.refusal(request, decision);
  }
  const refused = parts.flatMap(({ name, denial }) =>
    denial === undefined ? [] : { name, denial },
  );
  // Refusals that no approval can lift come first.
  const denied = refused.filter(({ denial }) => !needsOnlyApproval(denial.decision.policies));
  const [first] = denied;
  if (first === undefined) {
    const all = [...forbidding, ...refused.flatMap(({ denial }) => denial.decision.policies)];
    if (all.length === 0) return;
    // Nobody is asked to approve what no policy permits even then.
    const context = { ...request.context, approved: true };
    const approved = { ...request, context };
    const then = policies.decide(approved);
    if (!then.permitted && then.policies.length === 0) throw policies.refusal(approved, then);
    const { rowsChangedMax } = request.context;
    throw approvalRequired(request.action, all, {
      policyVersion: policies.version,
      rowsChangedMax,
    });
  }
  const error = policies.refusal(first.denial.request, first.denial.decision);
  const names = denied.map(({ name }) => name);
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
