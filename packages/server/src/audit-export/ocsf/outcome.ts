import type { JsonValue } from "@steward/kernel/canonical-json.js";
import type { RecordedCall, RecordEntry } from "./record-entry.js";

/** OCSF's `status_id`. */
const STATUS = { Success: 1, Failure: 2, Other: 99 } as const;

/** OCSF's `severity_id`. */
const SEVERITY = { Informational: 1, Low: 2, Medium: 3 } as const;

/** The status of an operation or a tool call, in the words of records. */
const STATUS_OF: Readonly<Record<string, keyof typeof STATUS>> = {
  succeeded: "Success",
  permitted: "Success",
  completed: "Success",
  failed: "Failure",
};

/** Kinds of records that tell of somebody who wanted what is not permitted. */
const REFUSALS: ReadonlySet<string> = new Set(["operation.refused", "authentication.failed"]);

/** How it ended, and how much attention it deserves. */
export function outcomeOf(
  { kind, detail }: RecordEntry,
  call: RecordedCall | undefined,
): Readonly<Record<string, JsonValue>> {
  const word = call?.status ?? detail["status"] ?? "succeeded";
  const told = typeof word === "string" ? word : "";
  const isRefusal = REFUSALS.has(kind);
  const status = isRefusal ? "Failure" : (STATUS_OF[told] ?? "Other");
  const failed = status === "Failure" ? "Low" : "Informational";
  const severity = isRefusal ? "Medium" : failed;
  return {
    status_id: STATUS[status],
    // The words of a record, such as `begun`, where OCSF has none.
    status: status === "Other" ? told : status,
    severity_id: SEVERITY[severity],
    severity,
    ...(typeof detail["code"] === "string" ? { status_code: detail["code"] } : {}),
  };
}
