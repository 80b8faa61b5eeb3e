import { parseOrdered } from "@steward/client";
import { groupedDigits, JsonSlice, type StepExecution } from "../../plans/index.js";
import { present } from "../../kernel/present.js";
import { pageWithin, withShortTexts, type ItemForm } from "./page-within.js";

/** The rows of a step's output that a caller asks for. */
export interface OutputPageRequest {
  /** Index of the first row; absent: 0. */
  readonly offset?: number | undefined;
  /** Absent: what the step says; if that says nothing, all rows. */
  readonly maxRows?: number | undefined;
  /** Bytes of all rows as JSON. Absent: what the step says; if that says nothing, all bytes. */
  readonly maxBytes?: number | undefined;
}

/** The part of a step's output that one answer hands to the LLM. */
export interface OutputPage {
  /** JSON texts, as the step has stored them. */
  readonly rows: readonly string[];
  /** Where the next page begins; absent on the last one. */
  readonly nextOffset?: number;
  /** Say what was left out. */
  readonly hints: readonly string[];
}

/** A row is measured by its own text, which is not parsed: parsing would change its numbers. */
const ROW_TEXTS: ItemForm<string> = {
  bytesOf: (row) => Buffer.byteLength(row) + 1,
  shortened: (row, bytesMax) => JSON.stringify(withShortTexts(parseOrdered(row), bytesMax)),
};

/**
 * A step's execution with the asked part of its output. Without limits, asked or of the step, it is
 * the execution itself, byte for byte.
 */
export function pagedExecution(
  execution: StepExecution,
  asked: OutputPageRequest,
): StepExecution & { readonly nextOffset?: number } {
  const { offset = 0, maxRows, maxBytes } = { ...execution.outputLimits, ...present(asked) };
  if (offset === 0 && maxRows === undefined && maxBytes === undefined) return execution;
  const { rows, nextOffset, hints } = outputPage(execution, asked, (next) => {
    const { stepId } = execution.stepResult;
    return `Execute step ${stepId} again with offset ${String(next)} for the next ones; nothing runs again.`;
  });
  const { llmContextUpdate: update } = execution;
  return {
    ...execution,
    llmContextUpdate: {
      ...update,
      toolOutputJson: `[${rows.join(",")}]`,
      augmentationHints: [...update.augmentationHints, ...hints],
    },
    ...(nextOffset === undefined ? {} : { nextOffset }),
  };
}

/** @param readOn the sentence that names the call for the rows from an offset on. */
export function outputPage(
  { llmContextUpdate, outputLimits }: StepExecution,
  asked: OutputPageRequest,
  readOn: (nextOffset: number) => string,
): OutputPage {
  const bounds = { offset: 0, maxRows: Infinity, maxBytes: Infinity };
  const { offset, maxRows, maxBytes } = { ...bounds, ...outputLimits, ...present(asked) };
  // The output of a step is a JSON array of row objects (Decision §5).
  const all = JsonSlice.of(llmContextUpdate.toolOutputJson).elements.map(({ text }) => text);
  const page = pageWithin(all, { offset, itemsMax: maxRows, bytesMax: maxBytes }, ROW_TEXTS);
  const { items: rows, nextOffset, cutItems } = page;
  const [first, last] = [offset + 1, offset + rows.length].map(groupedDigits);
  return {
    rows,
    ...(nextOffset === undefined ? {} : { nextOffset }),
    hints: [
      ...(nextOffset === undefined
        ? []
        : [
            `Rows ${String(first)} to ${String(last)} of ${groupedDigits(all.length)} are shown. ${readOn(nextOffset)}`,
          ]),
      ...cutItems.map(
        (index) =>
          `Row ${groupedDigits(index + 1)} was too large and long values in it were cut: select fewer columns, or substr(column, 1, 1000).`,
      ),
    ],
  };
}
