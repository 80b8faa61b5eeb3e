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
import { read } from "../connection.js";
import { IS_IN_TIME } from "../reads/read-calls.js";
import type { StoreReads } from "../reads/store-reads.js";

const UNTIL_MS = "approval ->> 'standingUntilMs'";

export class SqliteApprovalIndex implements ApprovalIndex {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;

  constructor(writer: CommitWriter, db: StoreReads) {
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

  async list(
    orgId: string,
    filter: ApprovalFilter,
    page: ApprovalPageRequest,
    nowMs: number,
  ): Promise<ApprovalPage> {
    const conditions = approvalConditions(filter, page, nowMs, UNTIL_MS);
    const rows = await this.#db.all<ApprovalRow>(
      orgId,
      `SELECT ${APPROVAL_COLUMNS} FROM approvals
         WHERE ${IS_IN_TIME} AND ${["org_id =", ...conditions.map(([condition]) => condition)].map((condition) => `${condition} ?`).join(" AND ")}
         ORDER BY approval_id DESC LIMIT ?`,
      orgId,
      ...conditions.map(([, value]) => value),
      BigInt(page.limit + 1),
    );
    return approvalPageOf(rows, page);
  }

  async standing(
    orgId: string,
    shapeDigest: string,
    nowMs: number,
  ): Promise<StoredApproval | undefined> {
    const row = await this.#db.first<ApprovalRow>(
      orgId,
      `SELECT ${APPROVAL_COLUMNS} FROM approvals
         WHERE org_id = ? AND approval ->> 'shapeDigest' = ? AND ${UNTIL_MS} IS NOT NULL
           AND ${standingCondition(UNTIL_MS)} ?
         ORDER BY approval_id DESC LIMIT 1`,
      orgId,
      shapeDigest,
      BigInt(nowMs),
    );
    return row && storedApprovalOf(row);
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
