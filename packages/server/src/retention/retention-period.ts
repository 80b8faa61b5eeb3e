/**
 * The kinds of data that have a retention period of their own. A plan's outputs, events and tool
 * calls are one log, which is deleted with its plan.
 */
export const RETENTION_CLASSES = ["plans", "idempotency_keys", "memory", "usage_detail"] as const;

export type RetentionClass = (typeof RETENTION_CLASSES)[number];

/** Days by class. In the operator's periods, a class without days is kept without limit. */
export type RetentionPeriods = Readonly<Partial<Record<RetentionClass, number>>>;

/** The operator's settings. */
export interface RetentionRules {
  readonly periods: RetentionPeriods;
  /** Whether organizations may keep their data for longer than these periods. */
  readonly mayBeLonger: boolean;
}

/**
 * The days for which an organization's data of a class is kept; `undefined`: without limit.
 * @param own the organization's own periods. A period that is longer than the operator now allows
 * is cut to the operator's.
 */
export function retentionDays(
  { periods, mayBeLonger }: RetentionRules,
  own: RetentionPeriods,
  of: RetentionClass,
): number | undefined {
  const [most, wanted] = [periods[of], own[of]];
  if (wanted === undefined) return most;
  return most === undefined || mayBeLonger ? wanted : Math.min(wanted, most);
}
