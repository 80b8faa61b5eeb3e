import { isUuid } from "@steward/kernel/ids.js";
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
import type { Database, PgValue } from "../database.js";

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
