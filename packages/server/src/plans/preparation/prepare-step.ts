import { AppError } from "@steward/kernel/errors.js";
import { TEMPLATE_BYTES_MAX } from "../limits.js";
import {
  INTENTS,
  intentCovers,
  isIntent,
  type Intent,
  type IntentSource,
  type SqlAnalyzer,
  type StatementAnalysis,
} from "../../governance/index.js";
import type { FieldOfStep } from "../dag.js";
import { type CompiledStatement, GIVEN } from "../statements/compiled-statement.js";
import { placeholderText } from "../statements/placeholder.js";
import type { PreparedStep, StepDefinition } from "../plan.js";
import type { JsonTool, SqlTool, ToolRegistry } from "../ports.js";
import { compileTemplate } from "../statements/template.js";
import { templateKey, type ReadTemplates } from "./read-ahead.js";
import { textViolation } from "./text-rule.js";
import { invalid, quoted, type PlanViolation } from "../violation.js";

/** The analysis of a statement that can be parsed. */
type KnownStatement = Extract<StatementAnalysis, { kind: "statement" }>;

/** The reason why a statement is rejected. */
type RejectedStatement = Extract<StatementAnalysis, { kind: "rejected" }>;

/** The rest of the plan and the configuration, against which a step is checked. */
export interface StepSurroundings {
  readonly tools: ToolRegistry;
  readonly analyzer: SqlAnalyzer;
  readonly read: ReadTemplates;
  /** Ids of all steps of the plan. */
  readonly stepIds: ReadonlySet<string>;
  readonly fieldOf: FieldOfStep;
}

/**
 * Compiles one step of a plan and checks its tool, placeholders, statement and intent (Decision §4).
 * @returns the step, or `undefined` after yielding why it cannot be prepared.
 */
export function* prepareStep(
  step: StepDefinition,
  index: number,
  { tools, analyzer, stepIds, read, fieldOf: pathOf }: StepSurroundings,
): Generator<PlanViolation, PreparedStep | undefined> {
  const fieldOf = (name: string): string => `${pathOf(index)}.${name}`;
  const intentField = fieldOf("intent");
  const templateField = fieldOf("query_template");
  const declared = yield* declaredIntent(step.intent, intentField);
  const tool = tools.resolve(step);
  if ("refusal" in tool) {
    yield invalid(fieldOf(tool.field), tool.refusal);
    return undefined;
  }
  if ("compile" in tool) {
    const intent = yield* onlyIntent(declared, tool, { step, field: intentField });
    const statement = yield* compiledBy(
      (template) => tool.compile(template),
      step.queryTemplate,
      templateField,
    );
    if (statement === undefined) return undefined;
    yield* referenceViolations(statement, step, stepIds, templateField);
    const { target, intent: statementClass } = tool;
    return { index, ...step, ...intent, statementClass, dataSource: target.name, statement };
  }
  const { name: dataSource, dialect } = tool.target;
  const { vetted } = tool;
  const known = vetted ? undefined : read.get(templateKey(step.queryTemplate, dialect));
  const statement =
    isText(step.queryTemplate) && known !== undefined
      ? known.statement
      : yield* compiledBy(
          (template) => vetted?.compile(template) ?? compileTemplate(template, dialect),
          step.queryTemplate,
          templateField,
        );
  if (statement === undefined) return undefined;
  yield* referenceViolations(statement, step, stepIds, templateField);
  const analysis = known?.analysis ?? analyzer.analyze(statement.sql, dialect);
  if (analysis.kind === "rejected") {
    yield invalid(templateField, rejectionOf(analysis, statement));
    return undefined;
  }
  const { statementClass, kinds } = analysis;
  const { intent, intentSource } =
    vetted === undefined
      ? intentOf(declared, statementClass)
      : yield* onlyIntent(declared, vetted, { step, field: intentField });
  yield* intentViolations(intent, analysis, tool, { step, field: intentField });
  return {
    index,
    ...step,
    intent,
    intentSource,
    statementClass,
    dataSource,
    dataSourceBy: chosenBy(step, tool),
    statement,
    kinds: kinds.length === 1 ? undefined : kinds,
  };
}

function intentOf(
  declared: Intent | undefined,
  statementClass: Intent,
): Pick<PreparedStep, "intent" | "intentSource"> {
  const intentSource: IntentSource = declared === undefined ? "statement" : "explicit";
  return { intent: declared ?? statementClass, intentSource };
}

function chosenBy(
  { dataSource = "" }: StepDefinition,
  { isByDefault }: SqlTool,
): PreparedStep["dataSourceBy"] {
  if (dataSource !== "") return "step";
  return isByDefault === true ? "default" : undefined;
}

/** The intent that a step declares; `undefined` when it declares none or an unknown one. */
function* declaredIntent(
  intent: string,
  field: string,
): Generator<PlanViolation, Intent | undefined> {
  if (isIntent(intent)) return intent;
  if (intent !== "") {
    yield invalid(
      field,
      `${quoted(intent)} is not an intent: use one of ${INTENTS.join(", ")}, or leave it empty`,
    );
  }
  return undefined;
}

/** The only intent of a tool to which the step gives no SQL; the step may omit it. */
function* onlyIntent(
  declared: Intent | undefined,
  { intent }: Pick<JsonTool, "intent">,
  { step, field }: { readonly step: StepDefinition; readonly field: string },
): Generator<PlanViolation, Pick<PreparedStep, "intent" | "intentSource">> {
  if (declared !== undefined && declared !== intent) {
    yield invalid(
      field,
      `tool ${quoted(step.toolName)} is called with the intent ${intent}, not ${declared}`,
    );
  }
  return { intent, intentSource: declared === undefined ? "annotation" : "explicit" };
}

function isText(template: string): boolean {
  return textViolation("", template, { bytesMax: TEMPLATE_BYTES_MAX }) === undefined;
}

function* compiledBy(
  compile: (template: string) => CompiledStatement,
  template: string,
  field: string,
): Generator<PlanViolation, CompiledStatement | undefined> {
  // A text that is too large or not valid Unicode has been reported and is not analyzed.
  if (!isText(template)) return undefined;
  try {
    return compile(template);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    yield { code: error.code, field, reason: error.message };
    return undefined;
  }
}

/** The parser's message refers to the compiled statement, which the caller has never seen. */
function rejectionOf({ reason, message }: RejectedStatement, statement: CompiledStatement): string {
  if (reason !== "unparsable" || statement.binds.length === 0) return message;
  return (
    `${message}, with parameters in place of the placeholders: ${quoted(statement.sql)}. ` +
    "A placeholder is a value; it cannot be a name or a keyword, nor stand in a text that must be " +
    "constant, such as the body of a function"
  );
}

/** Every step a placeholder refers to must be in `depends_on` (Contract §2.2). */
function* referenceViolations(
  statement: CompiledStatement,
  step: StepDefinition,
  stepIds: ReadonlySet<string>,
  field: string,
): Generator<PlanViolation, void> {
  if (statement.binds.length === 0) return;
  const known = new Set([...step.dependsOn, GIVEN]);
  for (const bind of statement.binds) {
    const { stepId } = bind;
    if (known.has(stepId)) continue;
    known.add(stepId);
    const why =
      stepId === step.id
        ? "refers to its own step"
        : stepIds.has(stepId)
          ? `refers to step ${quoted(stepId)}, which is not in depends_on`
          : `refers to step ${quoted(stepId)}, which is not in this plan`;
    yield { code: "BAD_PLACEHOLDER", field, reason: `${placeholderText(bind)} ${why}` };
  }
}

function* intentViolations(
  intent: Intent,
  analysis: KnownStatement,
  tool: SqlTool,
  { step, field }: { readonly step: StepDefinition; readonly field: string },
): Generator<PlanViolation, void> {
  const { statementClass, kinds } = analysis;
  if (!intentCovers(intent, statementClass)) {
    const advice = adviceFor(statementClass);
    yield invalid(field, `${spokenClass(analysis)}, which ${intent} does not cover: ${advice}`);
    return;
  }
  const { allowedIntents } = tool;
  const other = [intent, ...kinds].find((kind) => allowedIntents?.includes(kind) === false);
  if (allowedIntents === undefined || other === undefined) return;
  const what =
    other === intent ? `this step is ${intent}` : `the statement of this step is also ${other}`;
  yield invalid(
    field,
    `tool ${quoted(step.toolName)} allows ${allowedIntents.join(", ")} only; ${what}`,
  );
}

/** The class with the reason; a function that does not exist is named before the class. */
function spokenClass({ statementClass, because, unknownFunction }: KnownStatement): string {
  if (unknownFunction !== undefined) {
    return `${unknownFunction}. If the database defines this function, the statement is ${statementClass}`;
  }
  return `the statement is ${statementClass}${because === undefined ? "" : ` (${because})`}`;
}

/** A read that calls a function by a wrong name must not be repaired by declaring `admin`. */
function adviceFor(statementClass: Intent): string {
  return statementClass === "admin"
    ? "change the statement; admin is only for a step that is meant to govern the database"
    : `declare ${statementClass}`;
}
