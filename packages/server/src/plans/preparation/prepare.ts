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
  yield* textViolations([
    ["session_id", sessionId, { charactersMax: SESSION_ID_LENGTH_MAX }],
    ["name", name, { charactersMax: NAME_LENGTH_MAX }],
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
  yield* rangeViolations(`${field}.max_rows`, step.maxRows, 1, RESULT_ROWS_MAX);
  const bytes = step.maxBytes;
  yield* rangeViolations(`${field}.max_bytes`, bytes, OUTPUT_PAGE_BYTES_MIN, OUTPUT_BYTES_MAX);
  const { timeoutMs } = step;
  yield* rangeViolations(`${field}.timeout_ms`, timeoutMs, 1, stepTimeoutMs, OPERATORS_MAXIMUM);
  const nameLimit: TextLimit = { charactersMax: NAME_LENGTH_MAX };
  yield* textViolations([
    [`${field}.name`, step.name, nameLimit],
    [`${field}.tool_name`, step.toolName, nameLimit],
    [`${field}.data_source`, step.dataSource ?? "", nameLimit],
    [`${field}.query_template`, step.queryTemplate, { bytesMax: TEMPLATE_BYTES_MAX }],
  ]);
  for (const [position, hint] of hints.entries()) {
    // The field's name is only built for a violation, because there may be 100 000 hints.
    if (textViolation("", hint, nameLimit) === undefined) continue;
    yield* textViolations([[`${field}.schema_table_hints[${String(position)}]`, hint, nameLimit]]);
  }
}

function* rangeViolations(
  field: string,
  value: number | undefined,
  min: number,
  max: number,
  why = "",
): Generator<PlanViolation, void> {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return;
  yield invalid(field, `is no whole number between ${String(min)} and ${String(max)}${why}`);
}

/** A field, its text, and its limit. */
type TextToCheck = readonly [field: string, text: string, limit: TextLimit];

function* textViolations(texts: readonly TextToCheck[]): Generator<PlanViolation, void> {
  for (const [field, text, limit] of texts) {
    const violation = textViolation(field, text, limit);
    if (violation !== undefined) yield violation;
  }
}
