import { assert } from "@steward/kernel/assert.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import { kindsOf, type PreparedStep } from "../../plans/index.js";
import {
  callerOf,
  dataOf,
  keptCaller,
  keptData,
  keptSources,
  sourcesOf,
} from "./recorded-caller.js";
import type { KeptCaller, KeptData, KeptSource } from "./recorded-caller.js";

/** The part of a tool call that its plan and its step's result do not already contain. */
type CallTuple = readonly [
  stepIndex: number,
  eventId: string,
  attempt: number,
  status: ToolCallRecord["status"],
  rowCount: number,
  finishedAtMs: number,
  durationMs: number,
  rest?: Rest,
];

/** Values that differ from the step's own. */
type Rest = Partial<Omit<ToolCallRecord, "caller" | "touched" | "boundSources">> & {
  readonly caller?: KeptCaller;
  readonly touched?: KeptData;
  readonly bound?: readonly KeptSource[];
};

/** The stored values from which a tool call is reconstructed. */
export interface CallSurroundings {
  readonly orgId: string;
  readonly planId: string;
  readonly sessionId: string;
  readonly step: PreparedStep;
  /** The step's output in the same change, if there is one. */
  readonly output: string | undefined;
}

/**
 * A tool call as `plan_changes.call` stores it. The plan, the step and the step's output already
 * contain most of it, so only the differences are stored.
 */
export function callJson(call: ToolCallRecord, around: CallSurroundings): string {
  const usual = usualCall(around, call.output.length);
  const caller = keptCaller(call);
  const touched = keptData(call.touched);
  // A stored call is decoded with the step's definition from the submission. When the step was
  // revised, the revised members are stored with the call.
  const isRevised = around.step.revision !== undefined;
  const rest: Record<string, unknown> = {};
  for (const key of USUAL) {
    if (!isSame(call[key], usual[key]) || (isRevised && OF_STEP.has(key))) rest[key] = call[key];
  }
  // An output that is the beginning of the step's output is stored as its length.
  if (usual.output === call.output && call.output.length < (around.output?.length ?? 0)) {
    rest["output"] = call.output.length;
  }
  if (caller !== null) rest["caller"] = caller;
  if (touched !== undefined) rest["touched"] = touched;
  if (call.boundSources !== undefined) rest["bound"] = keptSources(call.boundSources);
  const tuple: unknown[] = [
    around.step.index,
    call.eventId,
    call.attempt,
    call.status,
    call.rowCount,
    call.finishedAtMs,
    call.durationMs,
  ];
  if (Object.keys(rest).length > 0) tuple.push(rest);
  return JSON.stringify(tuple);
}

/**
 * The tool call of a change.
 * @throws Error when it is damaged or of a later version.
 */
export function callOf(
  json: string,
  plan: Omit<CallSurroundings, "step"> & { readonly steps: readonly PreparedStep[] },
): ToolCallRecord {
  const [index, eventId, attempt, status, rowCount, finishedAtMs, durationMs, rest = {}] =
    JSON.parse(json) as CallTuple;
  // A step that was appended stands in the call alone.
  const isList: boolean = Array.isArray(plan.steps);
  assert(isList, "a definition is a list of steps");
  const step = plan.steps[index];
  const kept = rest.output as string | number | undefined;
  const length = typeof kept === "number" ? kept : (plan.output?.length ?? 0);
  const usual = usualCall({ ...plan, step }, length);
  // Each member is named: spreading the rest takes ten times as long, and this runs for every call and consumer.
  const kinds = rest.kinds ?? usual.kinds;
  const call: ToolCallRecord = {
    orgId: rest.orgId ?? usual.orgId,
    planId: rest.planId ?? usual.planId,
    sessionId: rest.sessionId ?? usual.sessionId,
    stepId: rest.stepId ?? usual.stepId,
    toolName: rest.toolName ?? usual.toolName,
    dataSource: rest.dataSource ?? usual.dataSource,
    intent: rest.intent ?? usual.intent,
    ...(kinds && { kinds }),
    intentSource: rest.intentSource ?? usual.intentSource,
    ormModel: rest.ormModel ?? usual.ormModel,
    error: rest.error ?? usual.error,
    query: rest.query ?? usual.query,
    eventId,
    caller: callerOf(rest.caller),
    touched: dataOf(rest.touched),
    ...(rest.bound && { boundSources: sourcesOf(rest.bound) }),
    attempt,
    status,
    rowCount,
    finishedAtMs,
    durationMs,
    output: typeof kept === "string" ? kept : usual.output,
  };
  for (const name of TEXTS) assert(typeof call[name] === "string", "a stored call has its texts");
  for (const name of NUMBERS) assert(Number.isFinite(call[name]), "a stored call has its numbers");
  return call;
}

const TEXTS = ["eventId", "stepId", "toolName", "intent", "status", "query"] as const;
const NUMBERS = ["attempt", "rowCount", "finishedAtMs", "durationMs"] as const;

/** Who had a call run, what it touched, and how it ended. */
export function recordedOf(json: string): Pick<ToolCallRecord, "caller" | "touched" | "status"> {
  const [, , , status, , , , { caller, touched } = {}] = JSON.parse(json) as CallTuple;
  return { caller: callerOf(caller), touched: dataOf(touched), status };
}

/** The members of a call that its surroundings usually have, in the order in which they are stored. */
const USUAL = [
  ...(["orgId", "planId", "sessionId", "stepId", "toolName", "dataSource", "intent"] as const),
  ...(["kinds", "intentSource", "ormModel", "error", "query", "output"] as const),
] satisfies readonly (keyof UsualCall)[];

/** The members of a call that come from its step's definition. */
const OF_STEP: ReadonlySet<keyof ToolCallRecord> = new Set<keyof ToolCallRecord>([
  ...(["stepId", "toolName", "dataSource", "intent", "kinds", "intentSource", "query"] as const),
]);

function isSame(one: unknown, other: unknown): boolean {
  // A list of kinds is made anew for each step that was read.
  if (Array.isArray(one) && Array.isArray(other)) return one.join() === other.join();
  return one === other;
}

type UsualCall = Omit<
  ToolCallRecord,
  | "eventId"
  | "attempt"
  | "status"
  | "rowCount"
  | "finishedAtMs"
  | "durationMs"
  | "caller"
  | "touched"
  | "boundSources"
>;

function usualCall(
  {
    orgId,
    planId,
    sessionId,
    step,
    output,
  }: Omit<CallSurroundings, "step"> & {
    readonly step: PreparedStep | undefined;
  },
  outputLength: number,
): UsualCall {
  return {
    orgId,
    planId,
    sessionId,
    stepId: step?.id ?? "",
    toolName: step?.toolName ?? "",
    dataSource: step?.dataSource ?? "",
    intent: step?.intent ?? "",
    ...(step && { kinds: kindsOf(step) }),
    intentSource: step?.intentSource ?? "",
    ormModel: undefined,
    error: undefined,
    query: step?.queryTemplate ?? "",
    output: output === undefined ? "[]" : output.slice(0, outputLength),
  };
}
