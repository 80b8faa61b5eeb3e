import { isUuid } from "@steward/kernel/ids.js";
import { firstWithin, jsonSize } from "@steward/kernel/json-size.js";
import { type ApprovalStatus, OPERATION_PLAN_ID } from "../../approvals/index.js";
import {
  APPROVALS_PAGE_BYTES_MAX,
  APPROVALS_READ_AT_ONCE,
  OPERATION_APPROVAL_KEPT_MS,
  OPERATIONS_WAITING_MAX,
  OPERATIONS_WAITING_OF_REQUESTER_MAX,
} from "../../approvals/limits.js";
import type {
  ApprovalFilter,
  ApprovalIndex,
  ApprovalPage,
  ApprovalPageRequest,
  StoredApproval,
} from "../../approvals/ports.js";
import type { RecordedOperation } from "../../kernel/recorded-operation.js";
import {
  APPROVAL_COLUMNS,
  approvalJson,
  OF_OPERATION_MAX,
  storedApprovalOf,
  type ApprovalRow,
} from "../plan-changes/index.js";
import type { Readable } from "./row-type.js";
import { inTime, joined, member, raw, sql, typed, type Sql } from "./sql.js";
import { one, type ExpectingSql, type SqlStore } from "./sql-store.js";

const COLUMNS = raw(APPROVAL_COLUMNS);
// The statements below select these columns.
const APPROVAL: Readable<StoredApproval> = { read: (row) => storedApprovalOf(row as ApprovalRow) };

const STANDING_UNTIL: Sql = member("approval", "standingUntilMs");

/** The index of approvals, and the approvals of operations, which have no plan's log. */
export class SqlApprovalIndex implements ApprovalIndex {
  readonly #db: SqlStore;

  constructor(db: SqlStore) {
    this.#db = db;
  }

  async find(orgId: string, approvalId: string): Promise<StoredApproval | undefined> {
    if (!isUuid(approvalId)) return undefined;
    const query = sql`SELECT ${COLUMNS} FROM approvals
      WHERE org_id = ${orgId} AND approval_id = ${approvalId}`;
    return this.#db.row(query, APPROVAL);
  }

  async list(
    orgId: string,
    filter: ApprovalFilter,
    page: ApprovalPageRequest,
    nowMs: number,
  ): Promise<ApprovalPage> {
    const approvals: StoredApproval[] = [];
    let { cursor } = page;
    let bytesLeft = APPROVALS_PAGE_BYTES_MAX;
    for (;;) {
      const limit = Math.min(page.limit - approvals.length, APPROVALS_READ_AT_ONCE);
      const asked = conditionsOf(filter, { limit, cursor }, nowMs);
      const conditions = [inTime, sql`org_id = ${orgId}`, ...asked];
      const found = await this.#db.rows(
        orgId,
        sql`SELECT ${COLUMNS} FROM approvals WHERE ${joined(conditions, " AND ")}
          ORDER BY approval_id DESC LIMIT ${limit + 1}`,
        APPROVAL,
      );
      const read = firstWithin(found.slice(0, limit), bytesLeft);
      approvals.push(...read);
      bytesLeft -= jsonSize(read);
      cursor = approvals.at(-1)?.approvalId;
      if (found.length <= read.length || cursor === undefined) return { approvals };
      const isFull = approvals.length === page.limit || read.length < limit || bytesLeft <= 0;
      if (isFull) return { approvals, nextCursor: cursor };
    }
  }

  async standing(
    orgId: string,
    shapeDigest: string,
    nowMs: number,
  ): Promise<StoredApproval | undefined> {
    const [found] = await this.#db.rows(
      orgId,
      sql`SELECT ${COLUMNS} FROM approvals
        WHERE org_id = ${orgId} AND ${member("approval", "shapeDigest")} = ${shapeDigest}
          AND ${STANDING_UNTIL} IS NOT NULL AND ${standsAt(nowMs)}
        ORDER BY approval_id DESC LIMIT 1`,
      APPROVAL,
    );
    return found;
  }

  ofOperation(orgId: string, digest: string): Promise<readonly StoredApproval[]> {
    return this.#db.rows(
      orgId,
      sql`SELECT ${COLUMNS} FROM approvals
        WHERE org_id = ${orgId} AND plan_id = ${OPERATION_PLAN_ID} AND step_id = ${digest}
        ORDER BY approval_id DESC LIMIT ${OF_OPERATION_MAX}`,
      APPROVAL,
    );
  }

  put(
    approval: StoredApproval,
    former?: StoredApproval,
    operation?: RecordedOperation,
  ): Promise<boolean> {
    const write = former === undefined ? added(approval) : changed(approval, former);
    return this.#db.write([write, endedOperations(approval)], { operation });
  }

  async revoke(
    orgId: string,
    approvalId: string,
    { by, atMs }: { readonly by: string; readonly atMs: number },
    operation?: RecordedOperation,
  ): Promise<void> {
    const update = sql`UPDATE approvals SET revoked_at_ms = ${atMs}, revoked_by = ${by}
      WHERE org_id = ${orgId} AND approval_id = ${approvalId} AND revoked_at_ms IS NULL`;
    await this.#db.write([update], { operation });
  }
}

/** On PostgreSQL, two that are added together may each see one place left, and both be stored. */
function added(approval: StoredApproval): ExpectingSql {
  const { orgId, approvalId, planId, stepId, sessionId, status, subject } = approval;
  const { requestedAtMs, expiresAtMs, policyVersion, requester } = approval;
  const waiting = sql`FROM approvals WHERE org_id = ${orgId} AND status = 'pending'
    AND plan_id = ${planId} AND expires_at_ms >= ${requestedAtMs}
    AND ${member("approval", "policyVersion")} = ${policyVersion}`;
  const ofRequester = sql`${waiting}
    AND ${member("approval", "requester", "userId")} IS NOT DISTINCT FROM ${requester.userId}
    AND ${member("approval", "requester", "agentId")} IS NOT DISTINCT FROM ${requester.agentId}`;
  return one(sql`INSERT INTO approvals (org_id, approval_id, plan_id, step_id, session_id, status,
      requested_at_ms, expires_at_ms, approval, subject)
    SELECT ${typed(orgId, "uuid")}, ${typed(approvalId, "uuid")}, ${typed(planId, "uuid")},
      ${stepId}, ${sessionId}, ${status}, ${typed(requestedAtMs, "bigint")},
      ${typed(expiresAtMs, "bigint")}, ${approvalJson(approval)}, ${JSON.stringify(subject)}
    WHERE (SELECT count(*) ${waiting}) < ${OPERATIONS_WAITING_MAX}
      AND (SELECT count(*) ${ofRequester}) < ${OPERATIONS_WAITING_OF_REQUESTER_MAX}`);
}

function changed(approval: StoredApproval, former: StoredApproval): ExpectingSql {
  const { orgId, approvalId, status } = approval;
  return one(sql`UPDATE approvals SET status = ${status}, approval = ${approvalJson(approval)}
    WHERE org_id = ${orgId} AND approval_id = ${approvalId} AND approval = ${approvalJson(former)}`);
}

function endedOperations({ orgId, requestedAtMs }: StoredApproval): Sql {
  return sql`DELETE FROM approvals WHERE org_id = ${orgId} AND plan_id = ${OPERATION_PLAN_ID}
    AND expires_at_ms < ${requestedAtMs - OPERATION_APPROVAL_KEPT_MS}
    AND NOT EXISTS (SELECT 1 FROM legal_holds WHERE org_id = ${orgId})`;
}

/** Stands for later statements. */
function standsAt(nowMs: number): Sql {
  return sql`status IN ('approved', 'used') AND revoked_at_ms IS NULL
    AND CAST(${STANDING_UNTIL} AS bigint) > ${nowMs}`;
}

function conditionsOf(
  { status, planId, isStanding }: ApprovalFilter,
  { cursor }: ApprovalPageRequest,
  nowMs: number,
): readonly Sql[] {
  const isOpen = status === "pending" || status === "approved";
  return [
    ...(planId === undefined ? [] : [sql`plan_id = ${planId}`]),
    ...(cursor === undefined ? [] : [sql`approval_id < ${cursor}`]),
    ...(status === undefined || status === "expired" ? [] : [hasStatus(status)]),
    ...(isStanding === true ? [standsAt(nowMs)] : []),
    ...(isOpen ? [sql`expires_at_ms >= ${nowMs}`] : []),
    ...(status === "expired"
      ? [sql`status IN ('pending', 'approved', 'expired') AND expires_at_ms < ${nowMs}`]
      : []),
  ];
}

/**
 * Changed policies end the open approvals of operations without writing to their rows: which of them are
 * void is for the reader of the page to say.
 */
function hasStatus(status: ApprovalStatus): Sql {
  return status === "void"
    ? sql`status IN ('void', 'pending', 'approved')
        AND (status = 'void' OR plan_id = ${OPERATION_PLAN_ID})`
    : sql`status = ${status}`;
}
