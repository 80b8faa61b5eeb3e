import type { AuditRecord } from "@steward/client";

/** The columns of a listing. */
export const RECORD_COLUMNS: readonly string[] = [
  "INDEX",
  "TIME",
  "KIND",
  "WHO",
  "SUBJECT",
  "WHAT",
];

/** The members of a record that a listing shows; other programs may have written further ones. */
interface ShownRecord {
  readonly at: string;
  readonly kind: string;
  readonly subject: string;
  readonly by?: {
    readonly kind: string;
    readonly key?: string;
  };
  /** The digest of the personal values. */
  readonly personal?: string;
  readonly detail: {
    readonly events?: readonly {
      readonly type: string;
      readonly status?: string;
    }[];
    readonly action?: string;
    readonly code?: string;
  };
}

/** A record as one line of a listing. */
export function recordRow({ index, entry, values }: AuditRecord): readonly string[] {
  const record = JSON.parse(entry) as ShownRecord;
  return [
    String(index),
    record.at,
    record.kind,
    whoOf(record, values),
    record.subject,
    whatOf(record.detail, values),
  ];
}

/** The person or agent, as long as their names are not erased. */
function whoOf({ by, personal }: ShownRecord, values: AuditRecord["values"]): string {
  if (by === undefined) return "the service";
  const names = [values?.["by.agent"], values?.["by.user"]].filter((name) => name !== undefined);
  const isErased = personal !== undefined && values === undefined;
  const nobody = isErased ? `${by.kind} (erased)` : by.kind;
  const who = names.length === 0 ? nobody : names.join(" for ");
  return by.key === undefined ? who : `${who} by key ${by.key}`;
}

function whatOf(
  { events = [], action, code }: ShownRecord["detail"],
  values: AuditRecord["values"],
): string {
  const told = events.map(({ type, status }, index) =>
    [type, values?.[`events.${String(index)}.step_id`], status]
      .filter((part) => part !== undefined)
      .join(" "),
  );
  return [...told, action, code].filter((part) => part !== undefined).join(", ");
}
