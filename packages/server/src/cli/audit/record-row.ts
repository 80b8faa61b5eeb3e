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
    readonly user?: string;
    readonly agent?: string;
    readonly key?: string;
  };
  readonly detail: {
    readonly events?: readonly {
      readonly type: string;
      readonly step_id?: string;
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
    whoOf(record.by, values),
    record.subject,
    whatOf(record.detail),
  ];
}

/** The person or agent, as far as their names were not erased. */
function whoOf(by: ShownRecord["by"], values: AuditRecord["values"]): string {
  if (by === undefined) return "the service";
  const user = values?.["by.user"] ?? (by.user === undefined ? undefined : "(erased)");
  const names = [by.agent, user, by.key].filter((name) => name !== undefined);
  return names.length === 0 ? by.kind : names.join(" for ");
}

function whatOf({ events = [], action, code }: ShownRecord["detail"]): string {
  const told = events.map(({ type, step_id: step, status }) =>
    [type, step, status].filter((part) => part !== undefined).join(" "),
  );
  return [...told, action, code].filter((part) => part !== undefined).join(", ");
}
