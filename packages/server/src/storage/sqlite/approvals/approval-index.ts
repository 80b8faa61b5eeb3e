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
  standingCondition,
  storedApprovalOf,
  type ApprovalRow,
} from "../../plan-changes/index.js";
import type { CommitWriter } from "../commit-writer.js";
import { read, type StatementCache } from "../connection.js";

const UNTIL_MS = "approval ->> 'standingUntilMs'";

export class SqliteApprovalIndex implements ApprovalIndex {
  readonly #writer: CommitWriter;
  readonly #db: StatementCache;

  constructor(writer: CommitWriter, db: StatementCache) {
    this.#writer = writer;
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
      const conditions = approvalConditions(filter, page, nowMs, UNTIL_MS);
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

  standing(orgId: string, shapeDigest: string, nowMs: number): Promise<StoredApproval | undefined> {
    return read(() => {
      const row = this.#db.get<ApprovalRow>(
        `SELECT ${APPROVAL_COLUMNS} FROM approvals
         WHERE org_id = ? AND approval ->> 'shapeDigest' = ? AND ${UNTIL_MS} IS NOT NULL
           AND ${standingCondition(UNTIL_MS)} ?
         ORDER BY approval_id DESC LIMIT 1`,
        orgId,
        shapeDigest,
        BigInt(nowMs),
      );
      return row && storedApprovalOf(row);
    });
  }

  revoke(
    orgId: string,
    approvalId: string,
    { by, atMs }: { readonly by: string; readonly atMs: number },
  ): Promise<void> {
    const sql = `UPDATE approvals SET revoked_at_ms = ?, revoked_by = ?
                 WHERE org_id = ? AND approval_id = ? AND revoked_at_ms IS NULL`;
    return this.#writer.commitEffect([{ sql, params: [atMs, by, orgId, approvalId] }]);
  }
}
