/**
 * What to think about before a migration runs. `destructive`: rows or values are lost.
 * `data-dependent`: whether it works depends on the rows there are. `lock-heavy`: others wait while a
 * table is read or written as a whole. `lock-brief`: a strong lock is held for an instant, which is long where
 * it must wait itself. `backward-incompatible`: programs written for the schema before may fail, or mean
 * something else. `irreversible-down`: going back does not bring back what was there, or may not work.
 * `invalid-index`: an index that was begun and not ended, and what is done about it.
 */
export type FindingCode =
  | "destructive"
  | "data-dependent"
  | "lock-heavy"
  | "lock-brief"
  | "backward-incompatible"
  | "irreversible-down"
  | "invalid-index";

/** One thing to think about. */
export interface Finding {
  readonly code: FindingCode;
  /** The object it is about: `orders.customer_id`. */
  readonly object: string;
  readonly message: string;
}

/** Makes findings about one object. */
export type Report = (code: FindingCode, message: string) => Finding;

/** The maker of findings about an object. */
export function reportOn(object: string): Report {
  return (code, message) => ({ code, object, message });
}
