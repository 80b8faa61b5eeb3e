import type { AuditSequence, PreparedBatch } from "../../packages/server/src/audit/ports.js";

/** Stands in for the column of the callers: there are none. */
export function originsJson(): null {
  return null;
}

/** Stands in for the position in the log of plans: nothing is ever waiting. */
export class SqliteAuditSequence implements AuditSequence {
  readonly batchMax = 1;

  prepare(): Promise<PreparedBatch> {
    const empty = { from: 0, size: 0, root: new Uint8Array() };
    return Promise.resolve({ ...empty, number: 0, isCut: false, unreadable: [] });
  }

  append(): Promise<boolean> {
    return Promise.resolve(true);
  }

  add(): Promise<void> {
    return Promise.resolve();
  }
}
