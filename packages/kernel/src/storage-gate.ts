/** The kinds of data whose writes are counted. */
export type CountedKind = "plans" | "memory" | "state";

/** Decides whether an organization may store more data. Reads and deletions do not ask it. */
export interface StorageGate {
  /**
   * Admits a write of about this many bytes, and counts them as stored until the organization is
   * measured the next time. The answer is immediate, so that concurrent writers cannot exceed the
   * quota together.
   * @param bytes 0 when the size is not known beforehand; {@link add} counts it afterwards.
   * @throws AppError `QUOTA_EXCEEDED`; nothing was counted.
   */
  admit(orgId: string, kind: CountedKind, bytes: number): void;

  /** Counts bytes that were stored without being announced. */
  add(orgId: string, kind: CountedKind, bytes: number): void;
}

/** Admits everything. */
export const unlimitedStorage: StorageGate = { admit: () => undefined, add: () => undefined };
