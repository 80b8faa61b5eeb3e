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
  storedApprovalOf,
  type ApprovalRow,
} from "../../plan-changes/index.js";
import type { Database, PgValue } from "../database.js";

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
    const conditions = approvalConditions(filter, page, nowMs);
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
}
