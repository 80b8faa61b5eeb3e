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
import { usedColumns } from "../governance/index.js";
import { ABOUT_DATA, namesOf } from "./touched-parts.js";

/**
 * The action of making a memory entry for a tool call: not an operation, but policies can forbid
 * it.
 */
export const RECORD_ACTION = "memory:record";
/** The groups of the action. */
const GROUPS = ["memory"] as const;
/** Names in a policy that refer to the action. */
const NAMES = [RECORD_ACTION, ...GROUPS] as const;

/** A tool call that may become an entry. */
export interface CallToRemember {
  readonly orgId: string;
  /** The caller of the recorded call; absent when it was not recorded. */
  readonly principal: PolicyPrincipal | undefined;
  readonly sessionId: string;
  readonly dataSource: string;
  readonly intent: string;
  /** Absent when it was not recorded. */
  readonly touched: RecordedData | undefined;
  readonly circumstances: RequestContext & Pick<RecordingContext, "providerIsRemote">;
}

/** The policies that decide. */
export interface AskedPolicies {
  readonly decide: (request: PolicyRequest) => PolicyDecision;
  readonly refusal: (request: PolicyRequest, decision: PolicyDecision) => AppError;
  readonly mentions: (name: string, actions?: readonly string[]) => boolean;
  readonly restricts: (actions: readonly string[]) => boolean;
  /** Identifies their texts. */
  readonly version: string;
}

/**
 * The reason why a tool call may not get a memory entry; `undefined` when it may. The policies
 * decide about its data source, its session, and each table and column that it touched. When
 * policies depend on unrecorded facts of a call, it gets no entry, because they may have been
 * written to exclude just this call.
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
  if (looksAtData && (touched === undefined || touched.unreported))
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
    // The right was checked for the data source; for the parts only policies that forbid count.
    if (!part[1].permitted && part[1].policies.length > 0) return policies.refusal(...part);
  }
  return undefined;
}

function contextOf(
  { intent, circumstances, touched }: CallToRemember,
  policies: AskedPolicies,
): RecordingContext {
  const { tables = [], functions = [] } = touched ?? {};
  const named = tables.flatMap((used) =>
    namesOf(used).map((table) => ({ table, columns: usedColumns(used) })),
  );
  // Tables and columns that no policy mentions are left out of the request, so that calls on
  // different data share a cached decision.
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
  for (const used of touched?.tables ?? []) {
    for (const table of namesOf(used)) {
      yield { kind: "table", orgId, dataSource, table };
      for (const column of usedColumns(used))
        yield { kind: "column", orgId, dataSource, table, column };
    }
  }
}

function unknown(what: string): AppError {
  return new AppError(
    "POLICY_DENIED",
    `The tool call gets no memory entry: ${what}, and a policy of the organization depends on it`,
  );
}
