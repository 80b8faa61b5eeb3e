import type { TouchedData } from "./touched-data.js";
import { RECORDED_DATA_BYTES_MAX } from "./limits.js";
import type { RecordedData, RecordedTable } from "../kernel/tool-call.js";

/** Cached results: all statements of one shape share one object with their touched data. */
const known = new WeakMap<TouchedData, { readonly recorded: RecordedData | undefined }>();

/**
 * The touched data in the form for the record of a tool call; `undefined` when there are too many.
 */
export function recordedData(touched: TouchedData | undefined): RecordedData | undefined {
  if (touched === undefined) return undefined;
  const before = known.get(touched);
  if (before !== undefined) return before.recorded;
  const recorded = dataForRecord(touched);
  known.set(touched, { recorded });
  return recorded;
}

function dataForRecord({ tables, functions, unreported }: TouchedData): RecordedData | undefined {
  const data = {
    tables: tables.map(({ name, accesses }) => ({ name, accesses })),
    functions,
    ...(unreported && { unreported }),
  };
  return Buffer.byteLength(JSON.stringify(data)) > RECORDED_DATA_BYTES_MAX ? undefined : data;
}

/** The columns of a table that a tool call used in whatever way. */
export function usedColumns({ accesses }: RecordedTable): readonly string[] {
  return [...new Set(Object.values(accesses).flat())];
}
