import { isUuid } from "@steward/kernel/ids.js";
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
import type { Connection, Database, PgValue } from "../database.js";

const UNTIL_MS = "(approval::json ->> 'standingUntilMs')::bigint";

export class PostgresApprovalIndex implements ApprovalIndex {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async find(orgId: string, approvalId: string): Promise<StoredApproval | undefined> {
    if (!isUuid(approvalId)) return undefined;
    const [row] = await this.#db.query<ApprovalRow>(
      `SELECT ${APPROVAL_COLUMNS} FROM approvals WHERE org_id = $1 AND approval_id = $2`,
      [orgId, approvalId],
    );
    return row && storedApprovalOf(row);
  }

  async list(
    orgId: string,
    filter: ApprovalFilter,
    page: ApprovalPageRequest,
    nowMs: number,
  ): Promise<ApprovalPage> {
    const conditions = approvalConditions(filter, page, nowMs, UNTIL_MS);
    const values: PgValue[] = [orgId, ...conditions.map(([, value]) => value), page.limit + 1];
    const where = ["org_id =", ...conditions.map(([condition]) => condition)]
      .map((condition, index) => `${condition} $${String(index + 1)}`)
      .join(" AND ");
    const rows = await this.#db.query<ApprovalRow>(
      `SELECT ${APPROVAL_COLUMNS} FROM approvals WHERE ${where}
       ORDER BY approval_id DESC LIMIT $${String(values.length)}`,
      values,
    );
    return approvalPageOf(rows, page);
  }

  async standing(
    orgId: string,
    shapeDigest: string,
    nowMs: number,
  ): Promise<StoredApproval | undefined> {
    const [row] = await this.#db.query<ApprovalRow>(
      `SELECT ${APPROVAL_COLUMNS} FROM approvals
       WHERE org_id = $1 AND approval::json ->> 'shapeDigest' = $2
         AND approval::json ->> 'standingUntilMs' IS NOT NULL AND ${standingCondition(UNTIL_MS)} $3
       ORDER BY approval_id DESC LIMIT 1`,
      [orgId, shapeDigest, nowMs],
    );
    return row && storedApprovalOf(row);
  }

  async ofOperation(orgId: string, digest: string): Promise<readonly StoredApproval[]> {
    const rows = await this.#db.query<ApprovalRow>(
      `SELECT ${APPROVAL_COLUMNS} FROM approvals
       WHERE org_id = $1 AND plan_id = '${OPERATION_PLAN_ID}' AND step_id = $2
       ORDER BY approval_id DESC LIMIT ${String(OF_OPERATION_MAX)}`,
      [orgId, digest],
    );
    return rows.map(storedApprovalOf);
  }

  put(approval: StoredApproval, former?: StoredApproval): Promise<boolean> {
    const { orgId, requestedAtMs } = approval;
    return this.#db.effect(async (connection) => {
      const rows =
        former === undefined
          ? await add(connection, approval)
          : await connection.query(
              `UPDATE approvals SET status = $1, approval = $2
               WHERE org_id = $3 AND approval_id = $4 AND approval = $5 RETURNING approval_id`,
              [
                ...[approval.status, approvalJson(approval), orgId, approval.approvalId],
                approvalJson(former),
              ],
            );
      if (rows.length === 0) return false;
      await connection.query(
        `DELETE FROM approvals WHERE org_id = $1 AND plan_id = '${OPERATION_PLAN_ID}'
           AND expires_at_ms < $2 AND NOT EXISTS (SELECT 1 FROM legal_holds WHERE org_id = $1)`,
        [orgId, requestedAtMs - OPERATION_APPROVAL_KEPT_MS],
      );
      return true;
    });
  }

  async revoke(
    orgId: string,
    approvalId: string,
    { by, atMs }: { readonly by: string; readonly atMs: number },
  ): Promise<void> {
    await this.#db.writeEffect(
      `UPDATE approvals SET revoked_at_ms = $3, revoked_by = $4
       WHERE org_id = $1 AND approval_id = $2 AND revoked_at_ms IS NULL`,
      [orgId, approvalId, atMs, by],
    );
  }
}

/** Two that are added together may each see one place left, and both be stored. */
function add(connection: Connection, approval: StoredApproval): Promise<readonly object[]> {
  const { orgId, approvalId, planId, stepId, sessionId, status, subject } = approval;
  const { requestedAtMs, expiresAtMs } = approval;
  return connection.query(
    `INSERT INTO approvals (org_id, approval_id, plan_id, step_id, session_id, status,
       requested_at_ms, expires_at_ms, approval, subject)
     SELECT $1::uuid, $2::uuid, $3::uuid, $4, $5, $6, $7::bigint, $8::bigint, $9, $10
     WHERE (SELECT count(*) FROM approvals WHERE org_id = $1 AND status = 'pending'
       AND plan_id = $3 AND expires_at_ms >= $7) < ${String(OPERATIONS_WAITING_MAX)}
     RETURNING approval_id`,
    [
      ...[orgId, approvalId, planId, stepId, sessionId, status, requestedAtMs, expiresAtMs],
      ...[approvalJson(approval), JSON.stringify(subject)],
    ],
  );
}
