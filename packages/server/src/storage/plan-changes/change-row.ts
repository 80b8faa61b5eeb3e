import type { LogEntry, PlanUnit, StoredResult } from "../../plans/engine/index.js";
import { cursorOutOfRange, planNotFound } from "../../plans/engine/index.js";
import type { PlanEvent } from "../../plans/index.js";
import type { OutputMetadata, PlanRef } from "../../plans/ports.js";
import { callJson, recordedOf } from "./call-codec.js";
import { eventsJson, planEventsOf } from "./event-codec.js";
import { originsJson } from "./origin-codec.js";
import { stepsJson } from "./step-codec.js";

/** The context update of an attempt in a row of `plan_changes`; empty parts are NULL. */
export interface ResultRow {
  readonly output: string | null;
  readonly schema_additions: string | null;
  readonly augmentation_hints: string | null;
  readonly output_metadata: string | null;
  readonly call: string | null;
}

/** A row of `plan_changes`: one entry of a plan's log. */
export interface ChangeRow extends ResultRow {
  readonly plan_id: string;
  readonly sequence: number;
  /** Index of the step whose result the row contains. */
  readonly result_step: number | null;
  readonly events: string;
  readonly steps: string | null;
  readonly origins: string | null;
}

/** The rows that a unit adds to its plan's log. */
export function changeRowsOf(unit: PlanUnit): readonly ChangeRow[] {
  return unit.entries.map((entry) => changeRowOf(unit, entry));
}

/** The result of the step that ended with a row. */
export function storedResultOf(row: ResultRow): StoredResult {
  return {
    ...(row.call === null ? {} : { call: recordedOf(row.call) }),
    toolOutputJson: row.output ?? "[]",
    ...(row.output_metadata === null
      ? {}
      : { outputMetadata: JSON.parse(row.output_metadata) as OutputMetadata }),
    schemaAdditions: listOf(row.schema_additions),
    augmentationHints: listOf(row.augmentation_hints),
  };
}

/**
 * A page of a plan's events.
 * @param rows the plan's rows, starting with the one that contains the event after the cursor, or
 * with the last row.
 * @throws AppError `PLAN_NOT_FOUND` when there are none, `CURSOR_OUT_OF_RANGE`.
 */
export function eventPageOf(
  ref: PlanRef,
  rows: readonly Pick<ChangeRow, "sequence" | "events">[],
  afterSequence: number,
  limit: number,
): readonly PlanEvent[] {
  const events = rows.flatMap((row) => planEventsOf(ref.planId, row.sequence, row.events));
  const newest = events.at(-1);
  if (newest === undefined) throw planNotFound(ref);
  if (afterSequence > newest.sequence) throw cursorOutOfRange(afterSequence, newest.sequence);
  return events.filter((event) => event.sequence > afterSequence).slice(0, limit);
}

function changeRowOf({ ref, sessionId }: PlanUnit, entry: LogEntry): ChangeRow {
  const { sequence, events, end } = entry;
  const context = end?.context;
  const output = context?.toolOutputJson === "[]" ? undefined : context?.toolOutputJson;
  const call =
    end?.toolCall && callJson(end.toolCall, { ...ref, sessionId, step: end.step, output });
  return {
    plan_id: ref.planId,
    sequence,
    result_step: context === undefined ? null : (end?.step.index ?? null),
    events: eventsJson(events),
    steps: stepsJson(entry),
    call: call ?? null,
    origins: originsJson(entry.origins),
    output: output ?? null,
    schema_additions: listJson(context?.schemaAdditions),
    augmentation_hints: listJson(context?.augmentationHints),
    output_metadata:
      context?.outputMetadata === undefined ? null : JSON.stringify(context.outputMetadata),
  };
}

function listJson(list: readonly unknown[] | undefined): string | null {
  return list === undefined || list.length === 0 ? null : JSON.stringify(list);
}

function listOf<T>(json: string | null): readonly T[] {
  return json === null ? [] : (JSON.parse(json) as readonly T[]);
}
