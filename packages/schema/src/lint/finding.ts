/**
 * Something that a migration's reviewer should consider. `destructive`: rows or values are lost.
 * `data-dependent`: success depends on the existing rows. `lock-heavy`: other sessions wait while a
 * whole table is scanned or rewritten. `lock-brief`: a strong lock is held for an instant only, but
 * other sessions queue behind the migration while it waits for that lock. `backward-incompatible`:
 * programs written for the old schema may fail or behave differently. `irreversible-down`: the down
 * migration does not restore the data, or may fail. `invalid-index`: an interrupted index build,
 * and how the migration treats the index.
 */
export type FindingCode =
  | "destructive"
  | "data-dependent"
  | "lock-heavy"
  | "lock-brief"
  | "backward-incompatible"
  | "irreversible-down"
  | "invalid-index";

export interface Finding {
  readonly code: FindingCode;
  /** The path of the object: `orders.customer_id`. */
  readonly object: string;
  readonly message: string;
}

/** Creates a finding about one object. */
export type Report = (code: FindingCode, message: string) => Finding;

export function reportOn(object: string): Report {
  return (code, message) => ({ code, object, message });
}
