import type { Dialect } from "../../governance/index.js";
import { assert } from "@steward/kernel/assert.js";
import { AppError } from "@steward/kernel/errors.js";
import type { SqlValue } from "../ports.js";
import { type Bind, type CompiledStatement, GIVEN } from "./compiled-statement.js";
import { groupedDigits } from "./grouped-digits.js";
import { jsonParameter } from "./arguments/json-parameter.js";
import { JsonSlice } from "./json-slice.js";
import { placeholderText } from "./placeholder.js";
import { postgresParameter } from "./postgres-parameter.js";
import { selectOutput, type ColumnTypes } from "./select-output.js";
import { sqliteParameter } from "./sqlite-parameter.js";
import type { OutputCut, StepOutput } from "./step-output.js";

/**
 * The values of a statement's parameters, in order, in the form that the statement of
 * {@link compileTemplate} reads. Each keeps the type that the engine gave it (Decision §5).
 * @param outputs of every step the statement refers to, by step id.
 * @param dialect `json`: the statement is the arguments of a tool, and values are JSON texts.
 * @throws AppError `STEP_FAILED` naming the placeholder whose path does not exist, or whose value
 *   does not fit its use; `details` describes what exists instead, without values.
 *   `OUTPUT_CUT` when rows were left out of an output and the placeholder does not accept that.
 */
export function bindOutputs(
  statement: CompiledStatement,
  outputs: ReadonlyMap<string, StepOutput>,
  dialect: Dialect | "json",
): readonly SqlValue[] {
  const opened = new Map<string, OpenedOutput>();
  return statement.binds.map((bind) => {
    const output = bind.stepId === GIVEN ? statement.given : outputs.get(bind.stepId);
    assert(output !== undefined, "the output of every step that a statement refers to is given");
    if (output.metadata?.cut !== undefined && bind.mayBeCut !== true) {
      throw outputCut(bind, output.metadata.cut);
    }
    const { root, types } = opened.get(bind.stepId) ?? open(output);
    opened.set(bind.stepId, { root, types });
    const selected = selectOutput(root, types, bind);
    switch (dialect) {
      case "sqlite":
        return sqliteParameter(selected, bind);
      case "postgres":
        return postgresParameter(selected, bind);
      case "json":
        return jsonParameter(selected, bind);
    }
  });
}

/** An output that has been parsed for reading. */
interface OpenedOutput {
  readonly root: JsonSlice;
  readonly types: ColumnTypes;
}

function open({ json, metadata }: StepOutput): OpenedOutput {
  const types = new Map(metadata?.types?.map((type) => [type.name, type]));
  return { root: JsonSlice.of(json), types };
}

function outputCut(bind: Bind, { rowsKept, rowCount, isLowerBound }: OutputCut): AppError {
  const total = `${isLowerBound === true ? "more than " : ""}${groupedDigits(rowCount)}`;
  const knowing = placeholderText({ ...bind, mayBeCut: true });
  return new AppError(
    "OUTPUT_CUT",
    `${placeholderText(bind)} refers to an output of which only ${groupedDigits(rowsKept)} of ` +
      `${total} rows were kept`,
    {
      details: [
        {
          field: placeholderText(bind),
          reason:
            `have step ${bind.stepId} select fewer rows (filter, aggregate or LIMIT), or let this ` +
            `statement select them itself; if the first ${groupedDigits(rowsKept)} rows are meant, ` +
            `write ${knowing}`,
        },
      ],
    },
  );
}
