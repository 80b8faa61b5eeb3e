import type {
  ApprovalFilter,
  ApprovalIndex,
  ApprovalPage,
  ApprovalPageRequest,
  StoredApproval,
} from "../../../approvals/ports.js";
import {
  APPROVAL_COLUMNS,
  approvalConditions,
  approvalPageOf,
  storedApprovalOf,
  type ApprovalRow,
} from "../../plan-changes/index.js";
import { read, type StatementCache } from "../connection.js";

export class SqliteApprovalIndex implements ApprovalIndex {
  readonly #db: StatementCache;

  constructor(db: StatementCache) {
    this.#db = db;
  }

  find(orgId: string, approvalId: string): Promise<StoredApproval | undefined> {
    return read(() => {
      const row = this.#db.get<ApprovalRow>(
        `SELECT ${APPROVAL_COLUMNS} FROM approvals WHERE org_id = ? AND approval_id = ?`,
        orgId,
        approvalId,
      );
      return row && storedApprovalOf(row);
    });
  }

  list(
    orgId: string,
    filter: ApprovalFilter,
    page: ApprovalPageRequest,
    nowMs: number,
  ): Promise<ApprovalPage> {
    return read(() => {
      const conditions = approvalConditions(filter, page, nowMs);
      const rows = this.#db.all<ApprovalRow>(
        `SELECT ${APPROVAL_COLUMNS} FROM approvals
         WHERE ${["org_id =", ...conditions.map(([condition]) => condition)].map((condition) => `${condition} ?`).join(" AND ")}
         ORDER BY approval_id DESC LIMIT ?`,
        orgId,
        ...conditions.map(([, value]) => value),
        BigInt(page.limit + 1),
      );
      return approvalPageOf(rows, page);
    });
  }
}
