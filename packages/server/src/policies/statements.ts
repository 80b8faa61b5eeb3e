import {
  type Intent,
  isReadIntent,
  type PlannedStatement,
  type StatementGrant,
  type TouchedData,
} from "../governance/index.js";
import { AppError } from "../kernel/errors.js";
import type {
  PolicyDecision,
  PolicyPrincipal,
  PolicyRequest,
  PolicyResource,
  RequestContext,
  StatementContext,
} from "./ports.js";

/** What the service itself says of statements. */
export interface StatementLimits {
  /** Agentic activity units of an intent. */
  readonly aauOf: (intent: Intent) => number;
  /** Rows that a write may change, unless a policy says fewer. */
  readonly rowsChangedMax: number;
}

/** A statement, and who wants to run it. */
export interface AskedStatement {
  readonly principal: PolicyPrincipal;
  readonly statement: PlannedStatement;
  readonly circumstances: RequestContext;
}

/** The policies that are asked. */
export interface Policies {
  readonly decide: (request: PolicyRequest) => PolicyDecision;
  readonly refusal: (request: PolicyRequest, decision: PolicyDecision) => AppError;
}

/**
 * Decides on a statement: as a whole, then for each table and each column that it touches.
 * @throws AppError `POLICY_DENIED`, `APPROVAL_REQUIRED`.
 */
export function permitStatement(
  asked: AskedStatement,
  limits: StatementLimits,
  policies: Policies,
): StatementGrant {
  const { request, decision, grant } = withinRows(requestOf(asked, limits), policies);
  if (!decision.permitted) throw policies.refusal(request, decision);
  const { touched } = asked.statement;
  if (touched !== undefined) requireTouched(request, { ...asked.statement, touched }, policies);
  return grant;
}

function requestOf(
  { principal, statement, circumstances }: AskedStatement,
  { aauOf, rowsChangedMax }: StatementLimits,
): PolicyRequest & { readonly context: StatementContext } {
  const { dataSource, intent, touched = NOTHING } = statement;
  const isWrite = intent !== "admin" && !isReadIntent(intent);
  return {
    principal,
    action: intent,
    actionGroups: isWrite ? ["writes", "statements"] : ["statements"],
    resource: { kind: "dataSource", orgId: principal.orgId, dataSource },
    context: {
      ...circumstances,
      ...{ intent, aau: aauOf(intent), rowsChangedMax },
      tables: touched.tables,
      columns: touched.columns,
    },
  };
}

const NOTHING: TouchedData = { tables: [], columns: [] };

/**
 * What is said of the request with the number of rows that policies allow. A policy that forbids more rows than it says
 * (`@rows_changed_max`) is no refusal but a limit: the statement may run within it.
 */
function withinRows(
  request: PolicyRequest & { readonly context: StatementContext },
  { decide }: Policies,
): LimitedDecision {
  const decision = decide(request);
  const limits = decision.policies.map(({ rowsChangedMax = Infinity }) => rowsChangedMax);
  const rowsChangedMax = Math.min(...limits);
  if (decision.permitted || rowsChangedMax === Infinity) return { request, decision, grant: {} };
  const narrowed = { ...request, context: { ...request.context, rowsChangedMax } };
  return { request: narrowed, decision: decide(narrowed), grant: { rowsChangedMax } };
}

interface LimitedDecision {
  readonly request: PolicyRequest;
  readonly decision: PolicyDecision;
  readonly grant: StatementGrant;
}

function requireTouched(
  request: PolicyRequest,
  statement: PlannedStatement & { readonly touched: TouchedData },
  policies: Policies,
): void {
  const { tables, columns } = statement.touched;
  const resources = [
    ...tables.map((table) => resourceOf(request, statement.dataSource, table)),
    ...columns.map((column) => {
      const at = column.lastIndexOf("/");
      const [table, name] = [column.slice(0, at), column.slice(at + 1)];
      return resourceOf(request, statement.dataSource, table, name);
    }),
  ];
  const found = resources.map((resource) => {
    const part = { ...request, resource };
    return { part, decision: policies.decide(part) };
  });
  const denied = found.filter(({ decision }) => !decision.permitted);
  const [first] = denied;
  if (first === undefined) return;
  const error = policies.refusal(first.part, first.decision);
  const names = denied.map(({ part }) => namedResource(part.resource));
  const left = found.filter(({ decision }) => decision.permitted);
  throw new AppError(error.code, `${error.message}: denied here is ${names.join(", ")}`, {
    details: [
      ...error.details,
      ...names.map((name) => ({ field: name, reason: `${name} may not be used` })),
      ...(left.length === 0 ? [] : [instead(left.map(({ part }) => namedResource(part.resource)))]),
    ],
  });
}

/** A hint for the LLM: what remains of the statement without what is denied. */
function instead(names: readonly string[]): { readonly field: string; readonly reason: string } {
  return {
    field: "instead",
    reason: `Write the statement without what is denied; it may still use ${names.join(", ")}`,
  };
}

function resourceOf(
  { principal: { orgId } }: PolicyRequest,
  dataSource: string,
  table: string,
  column?: string,
): PolicyResource {
  return column === undefined
    ? { kind: "table", orgId, dataSource, table }
    : { kind: "column", orgId, dataSource, table, column };
}

/** A resource as it is named to callers. */
function namedResource(resource: PolicyResource): string {
  switch (resource.kind) {
    case "table":
      return `table ${resource.table}`;
    case "column":
      return `column ${resource.table}.${resource.column}`;
    default:
      return resource.kind;
  }
}
