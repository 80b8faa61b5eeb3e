import { AppError } from "@steward/kernel/errors.js";
import type { RecordedData } from "../kernel/tool-call.js";
import type {
  PolicyDecision,
  PolicyPrincipal,
  PolicyRequest,
  PolicyResource,
  RecordingContext,
  RequestContext,
} from "./ports.js";
import { ABOUT_DATA, namesOf } from "./touched-parts.js";

/** The action of making a tool call an entry of the memory: no operation, but a thing that policies may forbid. */
export const RECORD_ACTION = "memory:record";
/** The groups that it is in. */
const GROUPS = ["memory"] as const;
/** What a policy names that is about it. */
const NAMES = [RECORD_ACTION, ...GROUPS] as const;

/** A tool call that is to become an entry. */
export interface CallToRemember {
  readonly orgId: string;
  /** Who had it run; absent: nobody knows any more. */
  readonly principal: PolicyPrincipal | undefined;
  readonly sessionId: string;
  readonly dataSource: string;
  readonly intent: string;
  /** Absent: nobody knows. */
  readonly touched: RecordedData | undefined;
  readonly circumstances: RequestContext & Pick<RecordingContext, "providerIsRemote">;
}

/** The policies that are asked. */
export interface AskedPolicies {
  readonly decide: (request: PolicyRequest) => PolicyDecision;
  readonly refusal: (request: PolicyRequest, decision: PolicyDecision) => AppError;
  readonly mentions: (name: string, actions?: readonly string[]) => boolean;
  readonly restricts: (actions: readonly string[]) => boolean;
}

/**
 * Why a tool call may not be remembered; `undefined` when it may. It is asked for its data source, for its session, and
 * for each table and column that it touched. Where policies depend on what is not known of a call, it is not remembered:
 * they may have been written to keep just this call out.
 */
export function refusalToRemember(
  call: CallToRemember,
  policies: AskedPolicies,
): AppError | undefined {
  const { principal, touched } = call;
  if (principal === undefined) {
    if (policies.restricts(NAMES)) return unknown("its caller is not recorded");
    return undefined;
  }
  const looksAtData = ABOUT_DATA.some((name) => policies.mentions(name, NAMES));
  if (looksAtData && touched === undefined)
    return unknown("the data that it touched is not recorded");
  const context = contextOf(call, policies);
  const ask = (resource: PolicyResource): readonly [PolicyRequest, PolicyDecision] => {
    const request = { principal, action: RECORD_ACTION, actionGroups: GROUPS, resource, context };
    return [request, policies.decide(request)];
  };
  const whole = ask({ kind: "dataSource", orgId: call.orgId, dataSource: call.dataSource });
  if (!whole[1].permitted) return policies.refusal(...whole);
  for (const resource of partsOf(call, policies)) {
    const part = ask(resource);
    // The right was asked for the data source: of the parts only policies count that forbid.
    if (!part[1].permitted && part[1].policies.length > 0) return policies.refusal(...part);
  }
  return undefined;
}

function contextOf(
  { intent, circumstances, touched }: CallToRemember,
  policies: AskedPolicies,
): RecordingContext {
  const { tables = [], functions = [] } = touched ?? {};
  const named = tables.flatMap(({ name, columns }) =>
    namesOf(name).map((table) => ({ table, columns })),
  );
  // What no policy looks at is left out, so that calls which touched something else share a decision.
  const looked = <Value>(name: string, values: readonly Value[]): readonly Value[] =>
    policies.mentions(name, NAMES) ? [...new Set(values)] : [];
  return {
    ...circumstances,
    intent,
    tables: looked(
      "tables",
      named.map(({ table }) => table),
    ),
    columns: looked(
      "columns",
      named.flatMap(({ table, columns }) => columns.map((column) => `${table}/${column}`)),
    ),
    functions: looked("functions", functions),
  };
}

function* partsOf(
  { orgId, sessionId, dataSource, touched }: CallToRemember,
  { mentions }: AskedPolicies,
): Generator<PolicyResource, void> {
  if (mentions("MemorySession", NAMES)) yield { kind: "memorySession", orgId, session: sessionId };
  if (!mentions("Table", NAMES) && !mentions("Column", NAMES)) return;
  for (const { name, columns } of touched?.tables ?? []) {
    for (const table of namesOf(name)) {
      yield { kind: "table", orgId, dataSource, table };
      for (const column of columns) yield { kind: "column", orgId, dataSource, table, column };
    }
  }
}

function unknown(what: string): AppError {
  return new AppError(
    "POLICY_DENIED",
    `The tool call gets no memory entry: ${what}, and a policy of the organization depends on it`,
  );
}
