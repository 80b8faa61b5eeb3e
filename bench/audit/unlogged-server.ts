import type { AuditBatch, AuditSequence, TreeHead } from "../../packages/server/src/audit/ports.js";

/** Stands in for the column of the callers: there are none. */
export function originsJson(): null {
  return null;
}

/** Stands in for the position in the log of plans: nothing is ever waiting. */
export class SqliteAuditSequence implements AuditSequence {
  take(): Promise<AuditBatch> {
    return Promise.resolve({ facts: [], isCut: false });
  }

  head(): Promise<TreeHead> {
    return Promise.resolve({ size: 0, partials: [] });
  }

  append(): Promise<boolean> {
    return Promise.resolve(true);
  }

  add(): Promise<void> {
    return Promise.resolve();
  }
}
