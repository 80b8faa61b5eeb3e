import type {
  ApprovalFilter,
  ApprovalIndex,
  ApprovalPage,
  ApprovalPageRequest,
  StoredApproval,
} from "../../../approvals/ports.js";
import { OPERATION_PLAN_ID } from "../../../approvals/index.js";
import { OPERATION_APPROVAL_KEPT_MS, OPERATIONS_WAITING_MAX } from "../../../approvals/limits.js";
import {
  APPROVAL_COLUMNS,
  approvalConditions,
  approvalJson,
  approvalPageOf,
  OF_OPERATION_MAX,
  standingCondition,
  storedApprovalOf,
  type ApprovalRow,
} from "../../plan-changes/index.js";
import type { Write } from "../commit-protocol.js";
import { WriteConflict, type CommitWriter } from "../commit-writer.js";
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

  async ofOperation(orgId: string, digest: string): Promise<readonly StoredApproval[]> {
    const rows = await this.#db.all<ApprovalRow>(
      orgId,
      `SELECT ${APPROVAL_COLUMNS} FROM approvals
         WHERE org_id = ? AND plan_id = '${OPERATION_PLAN_ID}' AND step_id = ?
         ORDER BY approval_id DESC LIMIT ${String(OF_OPERATION_MAX)}`,
      orgId,
      digest,
    );
    return rows.map(storedApprovalOf);
  }

  async put(approval: StoredApproval, former?: StoredApproval): Promise<boolean> {
    try {
      await this.#writer.commitEffect([
        former === undefined ? added(approval) : changed(approval, former),
        endedOperations(approval),
      ]);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
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

function added(approval: StoredApproval): Write {
  const { orgId, approvalId, planId, stepId, sessionId, status, subject } = approval;
  const { requestedAtMs, expiresAtMs } = approval;
  return {
    sql: `INSERT INTO approvals (org_id, approval_id, plan_id, step_id, session_id, status,
            requested_at_ms, expires_at_ms, approval, subject)
          SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
          WHERE (SELECT count(*) FROM approvals WHERE org_id = ?1 AND status = 'pending'
            AND plan_id = ?3 AND expires_at_ms >= ?7) < ${String(OPERATIONS_WAITING_MAX)}`,
    params: [
      ...[orgId, approvalId, planId, stepId, sessionId, status, requestedAtMs, expiresAtMs],
      ...[approvalJson(approval), JSON.stringify(subject)],
    ],
    expect: 1,
  };
}

function changed(approval: StoredApproval, former: StoredApproval): Write {
  const { orgId, approvalId, status } = approval;
  return {
    sql: `UPDATE approvals SET status = ?, approval = ?
          WHERE org_id = ? AND approval_id = ? AND approval = ?`,
    params: [status, approvalJson(approval), orgId, approvalId, approvalJson(former)],
    expect: 1,
  };
}

function endedOperations({ orgId, requestedAtMs }: StoredApproval): Write {
  return {
    sql: `DELETE FROM approvals WHERE org_id = ?1 AND plan_id = '${OPERATION_PLAN_ID}'
            AND expires_at_ms < ?2
            AND NOT EXISTS (SELECT 1 FROM legal_holds WHERE org_id = ?1)`,
    params: [orgId, requestedAtMs - OPERATION_APPROVAL_KEPT_MS],
  };
}
