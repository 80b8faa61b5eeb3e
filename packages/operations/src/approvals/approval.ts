import * as z from "zod";
import type { Infer } from "../operation.js";

/** The statuses of an approval (Decision §16). */
export const APPROVAL_STATUSES = [
  "pending",
  "approved",
  "denied",
  "used",
  "void",
  "expired",
] as const;

/** Of an approval in a path. */
export const approvalId = z.string().describe("Id of the approval");

const dateTime = z.string().meta({ format: "date-time" });

const approvalParty = z
  .object({
    kind: z.enum(["person", "agent", "apiKey", "anonymous"]).describe("Kind of the caller"),
    user_id: z
      .string()
      .exactOptional()
      .describe("The person; for an agent, the person on whose behalf it acts"),
    agent_id: z.string().exactOptional().describe("The agent"),
    key_id: z.string().exactOptional().describe("The API key"),
  })
  .meta({ id: "ApprovalParty", description: "A person or program in the record of an approval" });

export type ApprovalParty = Infer<typeof approvalParty>;

const approvalRule = z
  .object({
    policy_id: z.string().describe("Id of the policy that demands the approval"),
    reason: z.string().exactOptional().describe("What the policy says of itself"),
    role: z.string().describe("The role that approvers need"),
    approvers_min: z.int().describe("How many different persons with the role must approve"),
    missing: z.int().describe("How many of them have not approved yet"),
  })
  .meta({ id: "ApprovalRule", description: "Whose approval a policy demands" });

const approvalDecision = z
  .object({
    approver: approvalParty.describe("Who decided"),
    roles: z.array(z.string()).readonly().describe("The approver's roles that the approval needs"),
    decision: z.enum(["approve", "deny"]).describe("What was decided"),
    reason: z.string().exactOptional().describe("Why, in the approver's words"),
    decided_at: dateTime.describe("When it was decided"),
    rows_changed_max: z
      .int()
      .exactOptional()
      .describe("Rows that the statement may change at most, as the approver saw or widened it"),
  })
  .meta({ id: "ApprovalDecision", description: "One person's decision about an approval" });

const shownValue = z
  .object({
    text: z.string().nullable().describe("The value, or its beginning; null for NULL"),
    type: z
      .string()
      .exactOptional()
      .describe("Its type: number, json or blob; on PostgreSQL an OID or a name"),
    bytes: z
      .int()
      .exactOptional()
      .describe("Bytes of the whole value, when text is only its beginning"),
  })
  .meta({ id: "ShownValue", description: "A value of a statement to be approved" });

const shownTable = z
  .object({
    name: z.string().describe("The table, in lower case; on PostgreSQL with its schema"),
    accesses: z
      .array(z.enum(["read", "insert", "update", "delete", "define"]))
      .readonly()
      .describe("What the statement does to it"),
  })
  .meta({ id: "ShownTable", description: "A table that a statement to be approved touches" });

const approvedPlanStep = z
  .object({
    step_id: z.string().describe("Id of the step"),
    data_source: z.string().describe("The data source, or the tool, that the statement runs on"),
    intent: z.string().describe("The intent of the step"),
    statement: z.string().describe("SQL with parameters, or the arguments of a tool"),
    approval: z
      .enum(["covered", "separate", "free"])
      .describe(
        "covered: by this approval; separate: it waits for one of its own when it is executed; free: it needs none",
      ),
    values: z
      .array(shownValue)
      .readonly()
      .exactOptional()
      .describe("The parameters' values; absent while they are not known"),
    values_from: z
      .array(z.string())
      .readonly()
      .exactOptional()
      .describe("The places in earlier steps' outputs that unknown values come from"),
    tables: z
      .array(shownTable)
      .readonly()
      .exactOptional()
      .describe("The tables that it touches; absent when no policy depends on them"),
    estimated_rows: z
      .number()
      .exactOptional()
      .describe("Rows that the database's planner expects; absent where it makes no estimate"),
    note: z.string().exactOptional().describe("Why the approval does not cover it"),
  })
  .meta({ id: "ApprovedPlanStep", description: "A step in the approval of its whole plan" });

export type ApprovedPlanStep = Infer<typeof approvedPlanStep>;

const approvalSubject = z
  .object({
    tool_name: z.string().describe("The tool that runs the step"),
    data_source: z.string().describe("The data source, or the tool, that the statement runs on"),
    intent: z.string().describe("The intent of the step"),
    query_template: z.string().describe("The step's template, as it was written"),
    statement: z
      .string()
      .describe("SQL with parameters, or the arguments of a tool, as it will run"),
    values: z.array(shownValue).readonly().describe("The parameters' values, in order"),
    values_left_out: z.int().describe("How many further values are not shown"),
    tables: z
      .array(shownTable)
      .readonly()
      .exactOptional()
      .describe("The tables that it touches; absent when no policy depends on them"),
    rows_changed_max: z
      .int()
      .exactOptional()
      .describe("Rows that it may change at most; absent: only the data source's limit"),
    revision: z.int().describe("The plan's revision that gave the step its definition"),
    migration: z
      .object({
        migration_id: z.string().describe("Id of the migration"),
        digest: z.string().describe("Digest of its script and its target"),
      })
      .exactOptional()
      .describe("The migration that the step applies"),
    plan_steps: z
      .array(approvedPlanStep)
      .readonly()
      .exactOptional()
      .describe("The plan's steps in their order, when the approval is for the whole plan"),
  })
  .meta({ id: "ApprovalSubject", description: "What would run once it is approved" });

const rowColumns = z.record(z.string(), z.unknown());

const previewedChange = z
  .object({
    table: z.string().describe("The table, in lower case; on PostgreSQL with its schema"),
    before: rowColumns.exactOptional().describe("The row before; absent for an inserted row"),
    after: rowColumns.exactOptional().describe("The row after; absent for a deleted row"),
  })
  .meta({ id: "PreviewedChange", description: "The change of one row, without hidden columns" });

const approvalPreview = z
  .object({
    rows_changed: z.int().exactOptional().describe("Rows that the statement would change now"),
    changes: z
      .array(previewedChange)
      .readonly()
      .exactOptional()
      .describe("The first changed rows; columns that you may not read are left out"),
    is_cut: z.boolean().exactOptional().describe("Whether rows change that changes does not show"),
    notes: z
      .array(z.string())
      .readonly()
      .exactOptional()
      .describe("Sentences about changes that cannot be shown"),
    estimated_rows: z
      .number()
      .exactOptional()
      .describe("Rows that the database's planner expects; absent where it makes no estimate"),
    estimated_cost: z
      .number()
      .exactOptional()
      .describe("The planner's cost in its own unit, for comparing statements"),
    unavailable: z.string().exactOptional().describe("Why no changes are shown"),
  })
  .meta({
    id: "ApprovalPreview",
    description: "What a waiting write would change if it ran now",
  });

export type ApprovalPreview = Infer<typeof approvalPreview>;

export const APPROVAL_EXAMPLE = {
  approval_id: "0195a1c4-7d2e-7a10-9c3b-5f0e8d6a4b21",
  status: "pending",
  plan_id: "0195a1c4-7d2e-7a10-9c3b-5f0e8d6a4b22",
  step_id: "delete_old",
  session_id: "session-42",
  digest: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  rules: [
    {
      policy_id: "two-eyes",
      reason: "Deletions are looked at by a person",
      role: "approver",
      approvers_min: 1,
      missing: 1,
    },
  ],
  requester: { kind: "agent", user_id: "alice", agent_id: "cleaner" },
  requested_at: "2026-03-01T09:30:00.000Z",
  expires_at: "2026-03-02T09:30:00.000Z",
  decisions: [],
  policy_version: "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9",
  subject: {
    tool_name: "sql",
    data_source: "shop",
    intent: "write_delete",
    query_template: "DELETE FROM orders WHERE id = {{step.old.output[0].id}}",
    statement: "DELETE FROM orders WHERE id = ?1",
    values: [{ text: "42", type: "number" }],
    values_left_out: 0,
    tables: [{ name: "orders", accesses: ["delete"] }],
    revision: 1,
  },
} as const;

export const approval = z
  .object({
    approval_id: approvalId,
    status: z
      .enum(APPROVAL_STATUSES)
      .describe(
        "pending: persons have to decide; approved: the step may run once; used: it was started; void: what it was for has changed, or its plan has ended",
      ),
    plan_id: z.string().describe("Id of the plan; empty for an operation, such as createApiKey"),
    step_id: z.string().describe("Id of the step, or name of the operation, that waits"),
    session_id: z.string().describe("The plan's session"),
    digest: z
      .string()
      .describe("SHA-256 of everything that is approved; a decision names the digest it is about"),
    rules: z.array(approvalRule).readonly().describe("Whose approval is needed"),
    requester: approvalParty.describe("Who had the step executed"),
    requested_at: dateTime.describe("When it was requested"),
    expires_at: dateTime.describe("Until when it can be decided and used"),
    decisions: z.array(approvalDecision).readonly().describe("The decisions so far"),
    policy_version: z.string().describe("SHA-256 of the policies that demand it"),
    granted_by: z
      .string()
      .exactOptional()
      .describe(
        "Id of the approval of the whole plan, or of the standing approval, that granted it",
      ),
    standing_seconds_max: z
      .int()
      .exactOptional()
      .describe("How long it may stand for later statements of its shape; absent: it may not"),
    standing_until: dateTime
      .exactOptional()
      .describe("Until when it stands for later statements; absent: it does not"),
    revoked_at: dateTime.exactOptional().describe("When it was revoked as a standing approval"),
    revoked_by: z.string().exactOptional().describe("Who revoked it"),
    subject: approvalSubject.describe("What would run"),
    preview: approvalPreview
      .exactOptional()
      .describe("What it would change now; only where a single approval is read"),
  })
  .meta({
    id: "Approval",
    description: "An approval that a step of a plan waits for",
    examples: [APPROVAL_EXAMPLE],
  });

export type Approval = Infer<typeof approval>;
