import type { PlanRecord, PlanStatus, StepExecution } from "../plan.js";

/**
 * Checks of what a custom orchestrator returns. The types may not have been checked where it was
 * written, and an answer that nobody can use is refused here, in the call that made it, with the
 * words that its author needs.
 */

/** The accepted format of ids: printable ASCII up to 255 characters. It fits the ids of every orchestrator. */
const ID = /^[\x21-\x7e]{1,255}$/;

const PLAN_STATUSES: readonly unknown[] = [
  "pending",
  "running",
  "completed",
  "failed",
  "cancelled",
] satisfies readonly PlanStatus[];

/** Whether requests can name a plan or a step by this id. */
export function isUsableId(id: unknown): boolean {
  return typeof id === "string" && ID.test(id);
}

/** What is wrong with a plan that was created; `undefined`: nothing. */
export function faultOfPlan(plan: PlanRecord): string | undefined {
  const { planId, status } = asUnknown(plan);
  if (!isUsableId(planId)) {
    return fault(
      "createPlan",
      `the plan id ${shown(planId)}`,
      "1 to 255 printable ASCII characters without a space",
    );
  }
  if (PLAN_STATUSES.includes(status)) return undefined;
  return fault("createPlan", `the status ${shown(status)}`, `one of ${PLAN_STATUSES.join(", ")}`);
}

/** What is wrong with the result of a step; `undefined`: nothing. */
export function faultOfExecution(
  { stepResult, llmContextUpdate }: StepExecution,
  asked: { readonly planId: string; readonly stepId: string },
): string | undefined {
  const { planId, stepId } = asked;
  const answer = {
    stepResult: asUnknown(stepResult),
    llmContextUpdate: asUnknown(llmContextUpdate),
  };
  const rules: readonly Rule[] = [
    ["stepResult", "stepId", isThe(stepId), `the step that was asked for, ${shown(stepId)}`],
    ["stepResult", "status", isEnded, "completed, failed or cancelled"],
    ["stepResult", "rowCount", isCount, "a whole number from 0"],
    ["stepResult", "attempt", isCount, "a whole number from 0"],
    ["stepResult", "executedAt", isTime, "a time in RFC 3339"],
    ["llmContextUpdate", "planId", isThe(planId), `the plan that was asked for, ${shown(planId)}`],
    ["llmContextUpdate", "stepId", isThe(stepId), `the step that was asked for, ${shown(stepId)}`],
    ["llmContextUpdate", "toolOutputJson", isJsonArray, "a JSON array as text"],
    ["llmContextUpdate", "schemaAdditions", (value) => Array.isArray(value), "a list"],
    ["llmContextUpdate", "augmentationHints", isTexts, "a list of texts"],
  ];
  for (const [part, member, isRight, want] of rules) {
    const value = answer[part][member];
    if (!isRight(value)) return fault("executeStep", `${part}.${member} ${shown(value)}`, want);
  }
  return undefined;
}

/** What a member of an answer has to be. */
type Rule = readonly [
  part: "stepResult" | "llmContextUpdate",
  member: string,
  isRight: (value: unknown) => boolean,
  want: string,
];

function isThe(id: string): (value: unknown) => boolean {
  return (value) => value === id;
}

function fault(operation: string, what: string, want: string): string {
  return `The orchestrator's ${operation} returned ${what}, which has to be ${want}: the fault is in the orchestrator, not in the request`;
}

/** A value of the orchestrator, which may be anything at run time. */
function asUnknown(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

const SHOWN_LENGTH_MAX = 64;

function shown(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}

function isEnded(status: unknown): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isTime(value: unknown): boolean {
  return (
    typeof value === "string" &&
    /^\d{4}-\d{2}-\d{2}T/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isJsonArray(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    return Array.isArray(JSON.parse(value));
  } catch {
    return false;
  }
}
