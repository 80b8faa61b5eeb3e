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
    whatOf(record.detail, values),
  ];
}

/** The person or agent, as far as their names were not erased. */
function whoOf(by: ShownRecord["by"], values: AuditRecord["values"]): string {
  if (by === undefined) return "the service";
  const names = [
    nameOf(by.agent, values?.["by.agent"]),
    nameOf(by.user, values?.["by.user"]),
    by.key,
  ].filter((name) => name !== undefined);
  return names.length === 0 ? by.kind : names.join(" for ");
}

/**
 * A name in a record. @param told the digest, or the name itself in records of earlier versions.
 * @param value absent: erased.
 */
function nameOf(told: string | undefined, value: string | undefined): string | undefined {
  return value ?? (told?.startsWith("sha256:") === true ? "(erased)" : told);
}

function whatOf(
  { events = [], action, code }: ShownRecord["detail"],
  values: AuditRecord["values"],
): string {
  const told = events.map(({ type, step_id: step, status }, index) =>
    [type, nameOf(step, values?.[`events.${String(index)}.step_id`]), status]
      .filter((part) => part !== undefined)
      .join(" "),
  );
  return [...told, action, code].filter((part) => part !== undefined).join(", ");
}
