import { OUTPUT_BYTES_MAX } from "./limits.js";
import type { SchemaTableDelta, StepResult } from "./plan.js";
import type { StatementResult } from "./ports.js";
import type { StepContext, StepOutcome } from "./plan-state.js";
import { groupedDigits } from "./statements/grouped-digits.js";
import type { OutputMetadata } from "./statements/step-output.js";

/** The context update for a statement that ran (Decision §11). */
export function contextOfResult(result: StatementResult): StepContext {
  return {
    toolOutputJson: result.outputJson,
    ...(isPlain(result) ? {} : { outputMetadata: metadataOf(result) }),
    schemaAdditions: result.schemaDeltas,
    augmentationHints: [
      ...result.schemaDeltas.map(sentenceOfDelta),
      ...sentencesOfCut(result),
      ...(result.hints ?? []),
    ],
  };
}

/** Whether the JSON of a result is complete without further metadata. */
function isPlain({ columnTypes, rowsKept, rowCount }: StatementResult): boolean {
  return columnTypes.length === 0 && rowsKept >= rowCount;
}

function metadataOf(result: StatementResult): OutputMetadata {
  const { columnTypes, rowsKept, rowCount, rowCountIsLowerBound } = result;
  const isLowerBound = rowCountIsLowerBound ? ({ isLowerBound: true } as const) : {};
  return {
    ...(columnTypes.length === 0 ? {} : { types: columnTypes }),
    ...(rowsKept >= rowCount ? {} : { cut: { rowsKept, rowCount, ...isLowerBound } }),
  };
}

/**
 * The context update for a failed step: hints on how to repair it. It does not contain the step's
 * error, which {@link hintsOf} adds.
 */
export function contextOfFailure(hints: readonly string[]): StepContext {
  return { toolOutputJson: "[]", schemaAdditions: [], augmentationHints: hints };
}

/**
 * The hints of an ended step (Decision §11). An LLM often receives only the context update, in
 * which a failed step with its output `[]` would look like a step that found no rows. So the error
 * is the first hint. A hint that already begins with the error takes that place.
 */
export function hintsOf(
  { stepId, status, error }: Pick<StepResult, "stepId" | "status" | "error">,
  hints: readonly string[],
): readonly string[] {
  if (status === "completed") return hints;
  const message = error?.message ?? `Step ${stepId} was ${status}`;
  const first = hints.find((hint) => hint.startsWith(message)) ?? message;
  return [first, ...hints.filter((hint) => hint !== first)];
}

/** Adds hints to an outcome that the LLM sees. Other outcomes are returned unchanged. */
export function withHints(outcome: StepOutcome, hints: readonly string[]): StepOutcome {
  if (hints.length === 0 || !("context" in outcome)) return outcome;
  const augmentationHints = [...outcome.context.augmentationHints, ...hints];
  return { ...outcome, context: { ...outcome.context, augmentationHints } };
}

function sentenceOfDelta(delta: SchemaTableDelta): string {
  switch (delta.operation) {
    case "NEW":
      return `Table ${delta.tableName} now exists: its definition is in schema_additions.`;
    case "MODIFIED":
      return `Table ${delta.tableName} has changed: its definition is in schema_additions.`;
    case "REMOVED":
      return `Table ${delta.tableName} no longer exists.`;
  }
}

function sentencesOfCut(result: StatementResult): readonly string[] {
  if (result.rowsKept >= result.rowCount) return [];
  const total = `${result.rowCountIsLowerBound ? "more than " : ""}${groupedDigits(result.rowCount)}`;
  return [
    `Result cut to ${groupedDigits(result.rowsKept)} of ${total} rows: ` +
      `aggregate, filter or page by LIMIT to see the rest (${groupedDigits(OUTPUT_BYTES_MAX)} bytes at most).`,
  ];
}
