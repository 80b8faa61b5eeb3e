import type { AuditRecord, ErrorVisibility, RecordedError } from "./ports.js";

/** The places of texts that may repeat the error of a step, which quotes names and values of a database. */
const ERROR_PLACE = /^(?:call|events\.\d+)\.(?:error|reason)$/;

/**
 * A record without the errors of steps that its reader may not have. The record itself stays as it is, and
 * proves what it proved.
 */
export async function shownRecord(
  record: AuditRecord,
  isVisible: ErrorVisibility,
): Promise<AuditRecord> {
  const { personal } = record;
  if (personal === undefined) return record;
  const { subject, call } = toldBy(record);
  const shown: [place: string, value: string][] = [];
  for (const [place, value] of Object.entries(personal.values)) {
    const error = ERROR_PLACE.test(place) ? errorAt(personal.values, place) : undefined;
    if (error === undefined || (await isVisible(subject, { ...error, call }))) {
      shown.push([place, value]);
    }
  }
  return { ...record, personal: { ...personal, values: Object.fromEntries(shown) } };
}

/** @returns `undefined` for the reason of a person, or of a failure that is no step's. */
function errorAt(
  values: Readonly<Record<string, string>>,
  place: string,
): Omit<RecordedError, "call"> | undefined {
  const told = values[place] ?? "";
  const around = place.slice(0, place.lastIndexOf("."));
  if (place.endsWith(".reason")) {
    const stepId = values[`${around}.failed_step_id`];
    return stepId === undefined ? undefined : { stepId, message: told };
  }
  const stepId = values[`${around}.step_id`] ?? "";
  return { stepId, message: around === "call" ? told : messageIn(told) };
}

/** The message of a step's error in an event. Only this program writes it. */
function messageIn(json: string): string {
  return (JSON.parse(json) as { readonly message: string }).message;
}

/** The plan, and the tool call that ended. Only this program writes entries. */
function toldBy({
  entry,
}: AuditRecord): Pick<RecordedError, "call"> & { readonly subject: string } {
  const { subject, detail } = JSON.parse(entry) as {
    readonly subject: string;
    readonly detail?: { readonly call?: { readonly data_source: string; readonly intent: string } };
  };
  const call = detail?.call;
  return { subject, call: call && { dataSource: call.data_source, intent: call.intent } };
}
