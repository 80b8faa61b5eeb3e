/** What the page of the audit log shows; it is the page's address. */
export interface AuditFilters {
  readonly kind?: string;
  readonly subject?: string;
  /** Dates, YYYY-MM-DD in UTC. */
  readonly from?: string;
  readonly until?: string;
  /** The index of the record that is open. */
  readonly record?: number;
}

/** Reads an address; unknown parameters are ignored. */
export function auditFiltersOf(search: Readonly<Record<string, unknown>>): AuditFilters {
  const { kind, subject, from, until, record } = search;
  return {
    ...(typeof kind === "string" && kind !== "" ? { kind } : {}),
    // The router reads an id that looks like a number as a number.
    ...(typeof subject === "string" || typeof subject === "number"
      ? { subject: String(subject) }
      : {}),
    ...(isDate(from) ? { from } : {}),
    ...(isDate(until) ? { until } : {}),
    ...(typeof record === "number" && Number.isSafeInteger(record) && record >= 0
      ? { record }
      : {}),
  };
}

function isDate(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);
}
