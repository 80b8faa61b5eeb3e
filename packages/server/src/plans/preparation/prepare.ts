import {
  DESCRIPTION_BYTES_MAX,
  OUTPUT_BYTES_MAX,
  OUTPUT_PAGE_BYTES_MIN,
  PLAN_STEPS_MAX,
  PLAN_TEMPLATES_BYTES_MAX,
  RESULT_ROWS_MAX,
  STEP_DEPENDENCIES_MAX,
  STEP_TABLE_HINTS_MAX,
  TEMPLATE_BYTES_MAX,
} from "../limits.js";
import { NAME_LENGTH_MAX, SESSION_ID_LENGTH_MAX } from "../../kernel/limits.js";
import type { SqlAnalyzer } from "../../governance/index.js";
import { fieldInPlan, graphViolations, type FieldOfStep } from "../dag.js";
import type { PlanDefinition, PreparedStep, StepDefinition } from "../plan.js";
import type { ToolRegistry } from "../ports.js";
import { prepareStep } from "./prepare-step.js";
import type { ReadTemplates } from "./read-ahead.js";
import { textViolation, type TextLimit } from "./text-rule.js";
import { invalid, overLimit, runCheck, type PlanViolation } from "../violation.js";

/**
 * Validates a submitted plan and compiles its steps (Decision §4). Fields have their REST names,
 * where a step's id is `id` (Contract §2.2). Empty names, descriptions, tool names and session ids
 * are accepted, because the contract does not require them.
 * @returns the steps in the order submitted.
 * @throws AppError with every violation and its field in `details`, at most 50, and the code of the
 *   first: `LIMIT_EXCEEDED`, `INVALID_PLAN`, `PLAN_CYCLE` or `BAD_PLACEHOLDER`.
 */
export function preparePlan(
  sessionId: string,
  definition: PlanDefinition,
  parts: PreparingParts,
): readonly PreparedStep[] {
  return runCheck(preparing(sessionId, definition, parts));
}

/** The steps of a plan, of which only the changed ones are checked. */
export interface StepsToPrepare {
  /** All steps of the plan after the change. */
  readonly steps: readonly StepDefinition[];
  /** Indexes of the new and the changed steps. */
  readonly changed: ReadonlySet<number>;
  readonly fieldOf: FieldOfStep;
}

/**
 * Validates steps that a plan gets later, by the rules of a submission.
 * @returns the changed steps.
 * @throws AppError as {@link preparePlan}.
 */
export function prepareSteps(
  wanted: StepsToPrepare,
  parts: PreparingParts,
): readonly PreparedStep[] {
  return runCheck(preparingSteps(wanted, parts));
}

/** What plans are checked against. */
interface PreparingParts {
  readonly tools: ToolRegistry;
  readonly analyzer: SqlAnalyzer;
  /** Templates that have already been compiled and analyzed; absent: none. */
  readonly read?: ReadTemplates;
  /** The largest time limit that a step may ask for, in ms. */
  readonly stepTimeoutMs: number;
}

const NOTHING_READ: ReadTemplates = new Map();
const OPERATORS_MAXIMUM = ", the operator's maximum (SERVICE_STEP_TIMEOUT_MS)";

function* preparing(
  sessionId: string,
  { name, description, steps }: PlanDefinition,
  parts: PreparingParts,
): Generator<PlanViolation, readonly PreparedStep[]> {
  yield* textViolations("", [
    ["session_id", sessionId, { charactersMax: SESSION_ID_LENGTH_MAX }],
    ["name", name, NAME_LIMIT],
    ["description", description, { bytesMax: DESCRIPTION_BYTES_MAX }],
  ]);
  if (steps.length === 0) yield invalid("steps", "a plan needs at least one step");
  const changed = new Set(steps.keys());
  return yield* preparingSteps({ steps, changed, fieldOf: fieldInPlan }, parts);
}

function* preparingSteps(
  { steps, changed, fieldOf }: StepsToPrepare,
  { tools, analyzer, read = NOTHING_READ, stepTimeoutMs }: PreparingParts,
): Generator<PlanViolation, readonly PreparedStep[]> {
  if (steps.length > PLAN_STEPS_MAX) {
    yield overLimit("steps", steps.length, PLAN_STEPS_MAX, "steps");
    return [];
  }
  const templatesBytes = steps.reduce(
    (sum, step) => sum + Buffer.byteLength(step.queryTemplate),
    0,
  );
  if (templatesBytes > PLAN_TEMPLATES_BYTES_MAX) {
    yield templatesTooLong(templatesBytes);
    return [];
  }
  const toCheck = [...steps.entries()].filter(([index]) => changed.has(index));
  for (const [index, step] of toCheck) yield* shapeViolations(step, fieldOf(index), stepTimeoutMs);
  yield* graphViolations(steps, fieldOf);
  const stepIds = new Set(steps.map(({ id }) => id));
  const surroundings = { tools, analyzer, read, fieldOf, stepIds };
  const prepared: PreparedStep[] = [];
  for (const [index, step] of toCheck) {
    const ready = yield* prepareStep(step, index, surroundings);
    if (ready !== undefined) prepared.push(ready);
  }
  return prepared;
}

function templatesTooLong(bytes: number): PlanViolation {
  const reason =
    `the query templates have ${String(bytes)} bytes together; at most ` +
    `${String(PLAN_TEMPLATES_BYTES_MAX)} are allowed: submit several plans, or shorter statements`;
  return { code: "LIMIT_EXCEEDED", field: "steps", reason };
}

/** Violations in a step's texts and counts. */
function* shapeViolations(
  step: StepDefinition,
  field: string,
  stepTimeoutMs: number,
): Generator<PlanViolation, void> {
  const dependencies = step.dependsOn.length;
  if (dependencies > STEP_DEPENDENCIES_MAX) {
    yield overLimit(`${field}.depends_on`, dependencies, STEP_DEPENDENCIES_MAX, "dependencies");
  }
  const hints = step.schemaTableHints;
  if (hints.length > STEP_TABLE_HINTS_MAX) {
    yield overLimit(`${field}.schema_table_hints`, hints.length, STEP_TABLE_HINTS_MAX, "hints");
  }
  const { maxRows, maxBytes, timeoutMs } = step;
  if (!isWithin(maxRows, 1, RESULT_ROWS_MAX)) {
    yield outside(`${field}.max_rows`, 1, RESULT_ROWS_MAX);
  }
  if (!isWithin(maxBytes, OUTPUT_PAGE_BYTES_MIN, OUTPUT_BYTES_MAX)) {
    yield outside(`${field}.max_bytes`, OUTPUT_PAGE_BYTES_MIN, OUTPUT_BYTES_MAX);
  }
  if (!isWithin(timeoutMs, 1, stepTimeoutMs)) {
    yield outside(`${field}.timeout_ms`, 1, stepTimeoutMs, OPERATORS_MAXIMUM);
  }
  yield* textViolations(`${field}.`, [
    ["name", step.name, NAME_LIMIT],
    ["tool_name", step.toolName, NAME_LIMIT],
    ["data_source", step.dataSource ?? "", NAME_LIMIT],
    ["query_template", step.queryTemplate, TEMPLATE_LIMIT],
  ]);
  for (const [position, hint] of hints.entries()) {
    if (textViolation("", hint, NAME_LIMIT) === undefined) continue;
    yield* textViolations(`${field}.`, [
      [`schema_table_hints[${String(position)}]`, hint, NAME_LIMIT],
    ]);
  }
}

const NAME_LIMIT: TextLimit = { charactersMax: NAME_LENGTH_MAX };
const TEMPLATE_LIMIT: TextLimit = { bytesMax: TEMPLATE_BYTES_MAX };

function isWithin(value: number | undefined, min: number, max: number): boolean {
  return value === undefined || (Number.isInteger(value) && value >= min && value <= max);
}

function outside(field: string, min: number, max: number, why = ""): PlanViolation {
  return invalid(field, `is no whole number between ${String(min)} and ${String(max)}${why}`);
}

/** A field, its text, and its limit. */
type TextToCheck = readonly [field: string, text: string, limit: TextLimit];

/** A field's name is only built for a violation, because there may be 100 000 of them. */
function* textViolations(
  prefix: string,
  texts: readonly TextToCheck[],
): Generator<PlanViolation, void> {
  for (const [field, text, limit] of texts) {
    if (textViolation("", text, limit) === undefined) continue;
    const violation = textViolation(`${prefix}${field}`, text, limit);
    if (violation !== undefined) yield violation;
  }
}
