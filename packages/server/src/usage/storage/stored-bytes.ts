/** The kinds of data whose bytes are counted. */
export const STORED_KINDS = ["plans", "memory", "usage", "state", "audit"] as const;

export type StoredKind = (typeof STORED_KINDS)[number];

/** Bytes by kind of data. */
export type StoredBytes = Readonly<Record<StoredKind, number>>;

/** What an organization stores, as far as this server knows. */
export interface StorageReport {
  /** Absent while the organization has not been measured since the server was started. */
  readonly measured?: {
    readonly bytes: StoredBytes;
    /** Milliseconds since the epoch. */
    readonly atMs: number;
  };
  /** Bytes that this server has written since the measurement. */
  readonly addedBytes: number;
  /** Absent: there is no quota. */
  readonly quotaBytes?: number;
}

export function totalOf(bytes: StoredBytes): number {
  return STORED_KINDS.reduce((sum, kind) => sum + bytes[kind], 0);
}
