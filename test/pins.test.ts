import { loadSync } from "@grpc/proto-loader";
import { ERROR_CODES } from "@steward/protocol";
import { openApp } from "@steward/server";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/**
 * Names and numbers on which other programs depend, as literals. A difference here is visible to
 * them: an addition is fine and goes into the list, anything else breaks them.
 */
const PINNED =
  "Other programs depend on these names. Add a new one to the list in test/pins.test.ts. " +
  "Undo the change if a name or number that was there has changed or is gone.";

describe("the error codes", () => {
  it("are these", () => {
    expect(ERROR_CODES, PINNED).toEqual([
      "INVALID_ARGUMENT",
      "INVALID_PLAN",
      "PLAN_CYCLE",
      "BAD_PLACEHOLDER",
      "LIMIT_EXCEEDED",
      "IDEMPOTENCY_CONFLICT",
      "UNAUTHENTICATED",
      "POLICY_DENIED",
      "PLAN_NOT_FOUND",
      "STEP_NOT_FOUND",
      "NOT_FOUND",
      "METHOD_NOT_ALLOWED",
      "STEP_DEPENDENCIES_NOT_MET",
      "PLAN_NOT_ACTIVE",
      "STEP_NOT_REVISABLE",
      "REVISION_CONFLICT",
      "APPROVAL_REQUIRED",
      "APPROVAL_DENIED",
      "APPROVAL_CONFLICT",
      "LEGAL_HOLD",
      "CURSOR_OUT_OF_RANGE",
      "QUOTA_EXCEEDED",
      "ORCHESTRATOR_NOT_CONFIGURED",
      "UNIMPLEMENTED",
      "STORE_UNAVAILABLE",
      "OVERLOADED",
      "DEADLINE_EXCEEDED",
      "CANCELLED",
      "STEP_FAILED",
      "STEP_TIMEOUT",
      "OUTCOME_UNKNOWN",
      "OUTPUT_CUT",
      "IDENTITY_UNAVAILABLE",
      "PAYMENT_NOT_CONFIGURED",
      "PAYMENT_PROVIDER_FAILED",
      "PAYMENT_TIMEOUT",
      "PAYMENT_CONFLICT",
      "PAYMENT_RATE_LIMITED",
      "EMBEDDING_FAILED",
      "MEMORY_SEARCH_FAILED",
      "STATE_CONFLICT",
      "STATE_CORRUPTED",
      "INTERNAL",
    ]);
  });
});

describe("every error code", () => {
  it("is given by some part of the server, not only translated", () => {
    const source = fileURLToPath(new URL("../../packages", import.meta.url));
    const translations =
      /transport\/errors\.ts$|execution-message\.ts$|cli\/fixes\.ts$|test\.ts$|^(client|protocol)\//;
    const text = readdirSync(source, { recursive: true, encoding: "utf8" })
      .filter((file) => /^[a-z-]+\/src\/.*\.ts$/.test(file) && !translations.test(file))
      .map((file) => readFileSync(join(source, file), "utf8"))
      .join("");
    expect(ERROR_CODES.filter((code) => !text.includes(`"${code}"`))).toEqual([]);
  });
});

describe("the package controlplane.v1", () => {
  const protos = ["control_plane", "usage", "memory", "catalog", "approvals"].map((file) =>
    fileURLToPath(import.meta.resolve(`@steward/protocol/proto/controlplane/v1/${file}.proto`)),
  );
  const definitions = Object.entries(loadSync(protos, { keepCase: true }));

  it("has these calls", () => {
    const calls = definitions.flatMap(([, definition]) =>
      "type" in definition
        ? []
        : Object.values(definition).map(
            ({ path, requestType, responseType, responseStream }) =>
              `${path}: ${nameOf(requestType)} -> ${responseStream ? "stream " : ""}${nameOf(responseType)}`,
          ),
    );
    expect(calls, PINNED).toEqual([
      "/controlplane.v1.ControlPlaneService/SubmitPlan: SubmitPlanRequest -> SubmitPlanResponse",
      "/controlplane.v1.ControlPlaneService/GetPlanStatus: GetPlanStatusRequest -> GetPlanStatusResponse",
      "/controlplane.v1.ControlPlaneService/ExecuteStep: ExecuteStepRequest -> ExecuteStepResponse",
      "/controlplane.v1.ControlPlaneService/CancelPlan: CancelPlanRequest -> CancelPlanResponse",
      "/controlplane.v1.ControlPlaneService/StreamPlanEvents: StreamPlanEventsRequest -> stream PlanEvent",
      "/controlplane.v1.ControlPlaneService/ListPlans: ListPlansRequest -> ListPlansResponse",
      "/controlplane.v1.ControlPlaneService/RetryPlan: RetryPlanRequest -> RetryPlanResponse",
      "/controlplane.v1.ControlPlaneService/AppendSteps: AppendStepsRequest -> AppendStepsResponse",
      "/controlplane.v1.ControlPlaneService/ReviseStep: ReviseStepRequest -> ReviseStepResponse",
      "/controlplane.v1.ControlPlaneService/CheckPlan: CheckPlanRequest -> CheckPlanResponse",
      "/controlplane.v1.ControlPlaneService/ForkPlan: ForkPlanRequest -> ForkPlanResponse",
      "/controlplane.v1.UsageService/GetUsage: GetUsageRequest -> GetUsageResponse",
      "/controlplane.v1.UsageService/GetUsageHeatMap: GetUsageHeatMapRequest -> GetUsageHeatMapResponse",
      "/controlplane.v1.UsageService/GetStorageUsage: GetStorageUsageRequest -> GetStorageUsageResponse",
      "/controlplane.v1.UsageService/GetOrganizationUsage: GetOrganizationUsageRequest -> GetOrganizationUsageResponse",
      "/controlplane.v1.UsageService/ReportUsage: ReportUsageRequest -> ReportUsageResponse",
      "/controlplane.v1.UsageService/VerifyUsage: VerifyUsageRequest -> VerifyUsageResponse",
      "/controlplane.v1.UsageService/ListPrices: ListPricesRequest -> ListPricesResponse",
      "/controlplane.v1.UsageService/SetPrice: SetPriceRequest -> SetPriceResponse",
      "/controlplane.v1.UsageService/RepriceUsage: RepriceUsageRequest -> RepriceUsageResponse",
      "/controlplane.v1.UsageService/ListBudgets: ListBudgetsRequest -> ListBudgetsResponse",
      "/controlplane.v1.UsageService/SetBudget: SetBudgetRequest -> SetBudgetResponse",
      "/controlplane.v1.UsageService/RemoveBudget: RemoveBudgetRequest -> RemoveBudgetResponse",
      "/controlplane.v1.MemoryService/SearchMemory: SearchMemoryRequest -> SearchMemoryResponse",
      "/controlplane.v1.MemoryService/AddMemoryEntry: AddMemoryEntryRequest -> AddMemoryEntryResponse",
      "/controlplane.v1.MemoryService/GetMemoryEntry: GetMemoryEntryRequest -> GetMemoryEntryResponse",
      "/controlplane.v1.MemoryService/ListMemoryEntries: ListMemoryEntriesRequest -> ListMemoryEntriesResponse",
      "/controlplane.v1.MemoryService/DeleteMemoryEntry: DeleteMemoryEntryRequest -> DeleteMemoryEntryResponse",
      "/controlplane.v1.MemoryService/DeleteMemorySession: DeleteMemorySessionRequest -> DeleteMemorySessionResponse",
      "/controlplane.v1.MemoryService/GetMemoryStats: GetMemoryStatsRequest -> GetMemoryStatsResponse",
      "/controlplane.v1.MemoryService/GetMemoryRetention: GetMemoryRetentionRequest -> GetMemoryRetentionResponse",
      "/controlplane.v1.MemoryService/SetMemoryRetention: SetMemoryRetentionRequest -> SetMemoryRetentionResponse",
      "/controlplane.v1.CatalogService/ListCatalog: ListCatalogRequest -> ListCatalogResponse",
      "/controlplane.v1.CatalogService/SearchCatalog: SearchCatalogRequest -> SearchCatalogResponse",
      "/controlplane.v1.CatalogService/DescribeTable: DescribeTableRequest -> DescribeTableResponse",
      "/controlplane.v1.ApprovalService/ListApprovals: ListApprovalsRequest -> ListApprovalsResponse",
      "/controlplane.v1.ApprovalService/GetApproval: GetApprovalRequest -> GetApprovalResponse",
      "/controlplane.v1.ApprovalService/GrantApproval: GrantApprovalRequest -> GrantApprovalResponse",
      "/controlplane.v1.ApprovalService/DenyApproval: DenyApprovalRequest -> DenyApprovalResponse",
    ]);
  });

  it("has these messages, fields and numbers", () => {
    const messages = definitions.flatMap(([name, definition]) =>
      "type" in definition
        ? [[name.replace("controlplane.v1.", ""), fieldsOf(definition.type)]]
        : [],
    );
    expect(Object.fromEntries(messages), PINNED).toEqual({
      ListApprovalsRequest: [
        "1 status: string",
        "2 plan_id: string",
        "3 limit: int32",
        "4 cursor: string",
      ],
      ListApprovalsResponse: ["1 approvals: repeated Approval", "2 next_cursor: string"],
      GetApprovalRequest: ["1 approval_id: string"],
      GetApprovalResponse: ["1 approval: Approval"],
      GrantApprovalRequest: ["1 approval_id: string", "2 digest: string", "3 reason: string"],
      GrantApprovalResponse: ["1 approval: Approval"],
      DenyApprovalRequest: ["1 approval_id: string", "2 digest: string", "3 reason: string"],
      DenyApprovalResponse: ["1 approval: Approval"],
      Approval: [
        "1 approval_id: string",
        "2 status: string",
        "3 plan_id: string",
        "4 step_id: string",
        "5 session_id: string",
        "6 digest: string",
        "7 rules: repeated ApprovalRule",
        "8 requester: ApprovalParty",
        "9 requested_at: string",
        "10 expires_at: string",
        "11 decisions: repeated ApprovalDecision",
        "12 policy_version: string",
        "13 subject: ApprovalSubject",
        "14 preview: ApprovalPreview",
      ],
      ApprovalRule: [
        "1 policy_id: string",
        "2 reason: string",
        "3 role: string",
        "4 approvers_min: int32",
        "5 missing: int32",
      ],
      ApprovalParty: [
        "1 kind: string",
        "2 user_id: string",
        "3 agent_id: string",
        "4 key_id: string",
      ],
      ApprovalDecision: [
        "1 approver: ApprovalParty",
        "2 roles: repeated string",
        "3 decision: string",
        "4 reason: string",
        "5 decided_at: string",
      ],
      ApprovalSubject: [
        "1 tool_name: string",
        "2 data_source: string",
        "3 intent: string",
        "4 query_template: string",
        "5 statement: string",
        "6 values: repeated ApprovalValue",
        "7 values_left_out: int32",
        "8 tables: repeated ApprovalTable",
        "9 revision: int32",
        "10 migration: ApprovedMigration",
        "11 rows_changed_max: int64",
      ],
      ApprovalValue: ["1 text: string", "2 type: string", "3 bytes: int64"],
      ApprovalTable: ["1 name: string", "2 accesses: repeated string"],
      ApprovedMigration: ["1 migration_id: string", "2 digest: string"],
      ApprovalPreview: [
        "1 rows_changed: int64",
        "2 changes: repeated PreviewedChange",
        "3 is_cut: bool",
        "4 notes: repeated string",
        "5 estimate: PreviewEstimate",
        "6 unavailable: string",
      ],
      PreviewEstimate: ["1 rows: double", "2 cost: double"],
      PreviewedChange: ["1 table: string", "2 before_json: string", "3 after_json: string"],
      SubmitPlanRequest: [
        "1 session_id: string",
        "2 name: string",
        "3 description: string",
        "4 steps: repeated PlanStepDef",
        "5 on_failure: string",
      ],
      PlanStepDef: [
        "1 step_id: string",
        "2 name: string",
        "3 tool_name: string",
        "4 intent: string",
        "5 query_template: string",
        "6 depends_on: repeated string",
        "7 schema_table_hints: repeated string",
        "8 max_rows: int32",
        "9 max_bytes: int32",
      ],
      SubmitPlanResponse: ["1 plan_id: string", "2 status: string"],
      GetPlanStatusRequest: ["1 plan_id: string"],
      GetPlanStatusResponse: [
        "1 plan_id: string",
        "2 status: string",
        "3 steps: repeated StepStatus",
        "4 session_id: string",
        "5 name: string",
        "6 description: string",
        "7 created_at: string",
        "8 started_at: string",
        "9 finished_at: string",
        "10 on_failure: string",
        "11 revision: int32",
        "12 forked_from: string",
      ],
      StepStatus: [
        "1 step_id: string",
        "2 status: string",
        "3 row_count: int64",
        "4 executed_at: string",
        "5 attempt: int32",
        "6 error: StepError",
        "7 name: string",
        "8 tool_name: string",
        "9 intent: string",
        "10 depends_on: repeated string",
        "11 wait_reason: string",
        "12 revision: int32",
        "13 max_rows: int32",
        "14 max_bytes: int32",
      ],
      StepError: ["1 code: string", "2 message: string"],
      ExecuteStepRequest: [
        "1 plan_id: string",
        "2 step_id: string",
        "3 offset: int32",
        "4 max_rows: int32",
        "5 max_bytes: int32",
      ],
      ExecuteStepResponse: [
        "1 success: bool",
        "2 step_result: StepStatus",
        "3 llm_context_update: LlmContextUpdate",
        "4 error_message: string",
        "5 error_code: string",
        "6 replayed: bool",
      ],
      LlmContextUpdate: [
        "1 plan_id: string",
        "2 step_id: string",
        "3 tool_output_json: string",
        "4 schema_additions: repeated SchemaTableDelta",
        "5 augmentation_hints: repeated string",
        "6 next_offset: int32",
      ],
      SchemaTableDelta: ["1 table_name: string", "2 operation: string", "3 table_def_json: string"],
      CancelPlanRequest: ["1 plan_id: string", "2 reason: string"],
      CancelPlanResponse: ["1 plan_id: string", "2 status: string"],
      StreamPlanEventsRequest: ["1 plan_id: string", "2 after_sequence: int64"],
      PlanEvent: [
        "1 plan_id: string",
        "2 event_type: string",
        "3 payload_json: string",
        "4 timestamp: string",
        "5 sequence: int64",
      ],
      ListPlansRequest: [
        "1 status: string",
        "2 session_id: string",
        "3 limit: int32",
        "4 cursor: string",
        "5 text: string",
      ],
      ListPlansResponse: ["1 plans: repeated PlanSummary", "2 next_cursor: string"],
      PlanSummary: [
        "1 plan_id: string",
        "2 status: string",
        "3 session_id: string",
        "4 name: string",
        "5 description: string",
        "6 created_at: string",
        "7 started_at: string",
        "8 finished_at: string",
      ],
      RetryPlanRequest: ["1 plan_id: string"],
      RetryPlanResponse: ["1 plan_id: string", "2 status: string"],
      AppendStepsRequest: [
        "1 plan_id: string",
        "2 steps: repeated PlanStepDef",
        "3 expected_revision: int32",
      ],
      AppendStepsResponse: ["1 plan_id: string", "2 status: string", "3 revision: int32"],
      ReviseStepRequest: [
        "1 plan_id: string",
        "2 step_id: string",
        "3 expected_revision: int32",
        "4 name: OptionalString",
        "5 tool_name: OptionalString",
        "6 intent: OptionalString",
        "7 query_template: OptionalString",
        "8 depends_on: StringList",
        "9 schema_table_hints: StringList",
        "10 max_rows: int32",
        "11 max_bytes: int32",
      ],
      OptionalString: ["1 value: string"],
      StringList: ["1 values: repeated string"],
      ReviseStepResponse: ["1 plan_id: string", "2 status: string", "3 revision: int32"],
      CheckPlanRequest: ["1 plan: SubmitPlanRequest"],
      CheckPlanResponse: [
        "1 verdict: string",
        "2 aau: int64",
        "3 cost_usd: double",
        "4 steps: repeated StepCheck",
        "5 exceeded_budgets: repeated ExceededBudget",
      ],
      ExceededBudget: ["1 action: string", "2 reason: string"],
      StepCheck: [
        "1 step_id: string",
        "2 tool_name: string",
        "3 data_source: string",
        "4 intent: string",
        "5 statement_class: string",
        "6 tables: repeated CheckedTable",
        "7 functions: repeated string",
        "8 verdict: string",
        "9 reason: string",
        "10 policies: repeated StepPolicy",
        "11 rows_limit: RowsLimit",
        "12 aau: int32",
        "13 cost: StepCost",
        "14 estimate: StepEstimate",
        "15 problem: string",
        "16 hints: repeated string",
      ],
      RowsLimit: ["1 rows_changed_max: int64"],
      StepCost: ["1 cost_usd: double"],
      StepEstimate: ["1 rows: double", "2 cost: double"],
      CheckedTable: [
        "1 name: string",
        "2 reads: repeated string",
        "3 inserts: repeated string",
        "4 updates: repeated string",
        "5 deletes: bool",
        "6 defines: bool",
      ],
      StepPolicy: [
        "1 id: string",
        "2 reason: string",
        "3 approval: string",
        "4 approvals_min: int32",
      ],
      ForkPlanRequest: ["1 plan_id: string", "2 step_id: string", "3 steps: repeated PlanStepDef"],
      ForkPlanResponse: ["1 plan_id: string", "2 status: string", "3 revision: int32"],
      GetUsageRequest: ["1 from: string", "2 to: string", "3 tz: string", "4 group_by: string"],
      GetUsageResponse: ["1 rows: repeated DailyUsage"],
      DailyUsage: [
        "1 date: string",
        "2 action_count: int64",
        "3 total_aau: double",
        "4 total_cost_usd: double",
        "5 tool_name: string",
        "6 session_id: string",
        "7 intent: string",
        "8 orm_model: string",
      ],
      GetUsageHeatMapRequest: [],
      GetUsageHeatMapResponse: ["1 rows: repeated HeatMapRow"],
      GetStorageUsageRequest: [],
      GetStorageUsageResponse: [
        "1 stored_bytes: int64",
        "2 quota_bytes: int64",
        "3 bytes: StoredBytes",
        "4 measured_at: string",
      ],
      StoredBytes: [
        "1 plans: int64",
        "2 memory: int64",
        "3 usage: int64",
        "4 state: int64",
        "5 audit: int64",
      ],
      HeatMapRow: [
        "1 orm_model: string",
        "2 intent: string",
        "3 aau_weight: double",
        "4 total_aau: double",
        "5 action_count: int64",
      ],
      GetOrganizationUsageRequest: [
        "1 from: string",
        "2 to: string",
        "3 limit: int32",
        "4 cursor: string",
      ],
      GetOrganizationUsageResponse: [
        "1 organizations: repeated OrganizationUsage",
        "2 next_cursor: string",
      ],
      OrganizationUsage: [
        "1 org_id: string",
        "2 action_count: int64",
        "3 total_aau: double",
        "4 total_cost_usd: double",
      ],
      ReportUsageRequest: ["1 events: repeated UsageCloudEvent"],
      UsageCloudEvent: [
        "1 id: string",
        "2 source: string",
        "3 time: string",
        "4 data: UsageEventData",
      ],
      UsageEventData: [
        "1 tool_name: string",
        "2 intent: string",
        "3 session_id: string",
        "4 orm_model: string",
      ],
      ReportUsageResponse: ["1 accepted: int64", "2 duplicates: int64"],
      VerifyUsageRequest: ["1 repair: bool"],
      VerifyUsageResponse: ["1 differences: repeated UsageDifference"],
      UsageDifference: ["1 total: string", "2 stored: UsageTotals", "3 recomputed: UsageTotals"],
      UsageTotals: ["1 action_count: int64", "2 total_aau: double", "3 total_cost_usd: double"],
      ListPricesRequest: ["1 org_id: string"],
      ListPricesResponse: ["1 prices: repeated Price"],
      Price: [
        "1 price_id: string",
        "2 scope: string",
        "3 subject: string",
        "4 amount_usd: string",
        "5 from: string",
        "6 until: string",
      ],
      SetPriceRequest: [
        "1 scope: string",
        "2 subject: string",
        "3 amount_usd: string",
        "4 from: string",
        "5 until: string",
        "6 org_id: string",
      ],
      SetPriceResponse: ["1 price: Price"],
      RepriceUsageRequest: ["1 from: string", "2 until: string", "3 org_id: string"],
      RepriceUsageResponse: ["1 corrections: int64", "2 difference_usd: string"],
      ListBudgetsRequest: ["1 org_id: string"],
      ListBudgetsResponse: ["1 budgets: repeated Budget"],
      Budget: [
        "1 budget_id: string",
        "2 scope: string",
        "3 unit: string",
        "4 period: string",
        "5 limit: string",
        "6 action: string",
        "7 used: string",
        "8 remaining: string",
        "9 resets_at: string",
        "10 set_by: string",
      ],
      SetBudgetRequest: [
        "1 scope: string",
        "2 unit: string",
        "3 period: string",
        "4 limit: string",
        "5 action: string",
        "6 org_id: string",
      ],
      SetBudgetResponse: ["1 budget: Budget"],
      RemoveBudgetRequest: ["1 budget_id: string", "2 org_id: string"],
      RemoveBudgetResponse: ["1 budget_id: string"],
      SearchMemoryRequest: [
        "1 query: string",
        "2 top_k: int32",
        "3 org_id: string",
        "4 mode: string",
        "5 filter: MemoryFilter",
        "6 min_score: double",
        "7 explain: bool",
      ],
      MemoryFilter: [
        "1 session_id: string",
        "2 created_from: string",
        "3 created_before: string",
        "4 tool_name: string",
        "5 intent: string",
        "6 content: ContentCondition",
      ],
      ContentCondition: ["1 path: string", "2 equals_json: string"],
      SearchMemoryResponse: ["1 results: repeated MemoryResult"],
      MemoryResult: [
        "1 entry_id: string",
        "2 score: double",
        "3 content: string",
        "4 created_at: string",
        "5 related_cascade_targets: repeated string",
        "6 explain: MemoryExplanation",
      ],
      MemoryExplanation: [
        "1 rank: int32",
        "2 vector_rank: int32",
        "3 text_rank: int32",
        "4 fused_score: double",
      ],
      AddMemoryEntryRequest: ["1 session_id: string", "2 content: string"],
      AddMemoryEntryResponse: ["1 entry: MemoryEntry"],
      MemoryEntry: [
        "1 entry_id: string",
        "2 session_id: string",
        "3 content: string",
        "4 created_at: string",
        "5 tool_name: string",
        "6 intent: string",
      ],
      GetMemoryEntryRequest: ["1 entry_id: string"],
      GetMemoryEntryResponse: ["1 entry: MemoryEntry"],
      ListMemoryEntriesRequest: [
        "1 session_id: string",
        "2 created_from: string",
        "3 created_before: string",
        "4 tool_name: string",
        "5 intent: string",
        "6 limit: int32",
        "7 cursor: string",
      ],
      ListMemoryEntriesResponse: ["1 entries: repeated MemoryEntry", "2 next_cursor: string"],
      DeleteMemoryEntryRequest: ["1 entry_id: string"],
      DeleteMemoryEntryResponse: ["1 deleted: int64"],
      DeleteMemorySessionRequest: ["1 session_id: string"],
      DeleteMemorySessionResponse: ["1 deleted: int64"],
      GetMemoryStatsRequest: [],
      GetMemoryStatsResponse: [
        "1 entries: int64",
        "2 waiting_calls: int64",
        "3 quarantined_vectors: int64",
        "4 model: string",
        "5 dimension: int32",
      ],
      GetMemoryRetentionRequest: [],
      GetMemoryRetentionResponse: ["1 days: int32"],
      SetMemoryRetentionRequest: ["1 days: int32"],
      SetMemoryRetentionResponse: ["1 days: int32"],
      ListCatalogRequest: [],
      ListCatalogResponse: [
        "1 data_sources: repeated CatalogDataSource",
        "2 tools: repeated CatalogTool",
        "3 default_data_source: string",
      ],
      CatalogDataSource: [
        "1 name: string",
        "2 dialect: string",
        "3 description: string",
        "4 intents: repeated string",
      ],
      CatalogTool: [
        "1 name: string",
        "2 data_source: string",
        "3 intents: repeated string",
        "4 description: string",
        "5 input_schema_json: string",
      ],
      SearchCatalogRequest: ["1 query: string", "2 data_source: string", "3 limit: int32"],
      SearchCatalogResponse: ["1 tables: repeated CatalogMatch"],
      CatalogMatch: [
        "1 data_source: string",
        "2 table: string",
        "3 kind: string",
        "4 score: double",
        "5 description: string",
        "6 columns: repeated CatalogColumn",
        "7 earlier_statement: string",
      ],
      CatalogColumn: ["1 name: string", "2 type: string"],
      DescribeTableRequest: ["1 table: string", "2 data_source: string", "3 token_budget: int32"],
      DescribeTableResponse: [
        "1 data_source: string",
        "2 table: string",
        "3 text: string",
        "4 tokens: int32",
        "5 left_out: repeated string",
        "6 schema_version: string",
      ],
    });
  });
});

describe("the REST interface", () => {
  it("has these routes and operation ids", async () => {
    await using app = await openApp({ port: 0, logLevel: "silent" });
    const response = await fetch(`http://127.0.0.1:${app.address.port}/openapi.json`);
    const { paths } = (await response.json()) as { paths: Paths };
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`,
      ),
    );
    expect(routes.sort(), PINNED).toEqual([
      "DELETE /api/holds/{hold_id} liftHold",
      "DELETE /api/keys/{key_id} revokeApiKey",
      "DELETE /api/memory/entries/{entry_id} deleteMemoryEntry",
      "DELETE /api/memory/sessions/{session_id} deleteMemorySession",
      "DELETE /api/plans/{plan_id} cancelPlan",
      "DELETE /api/session signOut",
      "DELETE /billing/budgets/{budget_id} removeBudget",
      "DELETE /billing/payment-methods/{pm_id} detachPaymentMethod",
      "GET / getIndex",
      "GET /api/approvals listApprovals",
      "GET /api/approvals/{approval_id} getApproval",
      "GET /api/audit/consistency proveAuditConsistency",
      "GET /api/audit/records listAuditRecords",
      "GET /api/audit/records/{index} getAuditRecord",
      "GET /api/catalog listCatalog",
      "GET /api/catalog/check checkDataSources",
      "GET /api/catalog/tables listTables",
      "GET /api/erasures listErasures",
      "GET /api/erasures/{erasure_id} getErasure",
      "GET /api/holds listHolds",
      "GET /api/keys listApiKeys",
      "GET /api/memory/entries listMemoryEntries",
      "GET /api/memory/entries/{entry_id} getMemoryEntry",
      "GET /api/memory/retention getMemoryRetention",
      "GET /api/memory/stats getMemoryStats",
      "GET /api/plans listPlans",
      "GET /api/plans/{plan_id} getPlan",
      "GET /api/plans/{plan_id}/events streamPlanEvents",
      "GET /api/plans/{plan_id}/steps/{step_id} getStep",
      "GET /api/policies getPolicies",
      "GET /api/retention getRetention",
      "GET /api/session getSession",
      "GET /api/state/at getStateAt",
      "GET /api/state/diff getStateDiff",
      "GET /api/state/drift getSchemaDrift",
      "GET /api/state/export exportState",
      "GET /api/state/log getStateLog",
      "GET /api/state/migrations listMigrations",
      "GET /api/state/migrations/{migration_id} getMigration",
      "GET /api/state/proof proveState",
      "GET /api/state/refs listStateRefs",
      "GET /api/state/schema dumpSchema",
      "GET /api/state/schema-diff compareSchemas",
      "GET /api/system getSystemStatus",
      "GET /api/webhooks/deliveries listWebhookDeliveries",
      "GET /audit/checkpoint getAuditCheckpoint",
      "GET /audit/tile/entries/{*} getAuditEntries",
      "GET /audit/tile/{level}/{*} getAuditTile",
      "GET /billing/budgets listBudgets",
      "GET /billing/payment-form getPaymentForm",
      "GET /billing/payment-methods listPaymentMethods",
      "GET /billing/prices listPrices",
      "GET /billing/usage getUsage",
      "GET /billing/usage/heatmap getUsageHeatMap",
      "GET /billing/usage/organizations getOrganizationUsage",
      "GET /billing/usage/storage getStorageUsage",
      "GET /healthz getLiveness",
      "GET /metrics getMetrics",
      "GET /readyz getReadiness",
      "PATCH /api/plans/{plan_id}/steps/{step_id} reviseStep",
      "POST /api/approvals/{approval_id}/approve grantApproval",
      "POST /api/approvals/{approval_id}/deny denyApproval",
      "POST /api/catalog/describe describeTable",
      "POST /api/catalog/search searchCatalog",
      "POST /api/erasures beginErasure",
      "POST /api/erasures/estimate estimateErasure",
      "POST /api/holds placeHold",
      "POST /api/keys createApiKey",
      "POST /api/keys/{key_id}/rotate rotateApiKey",
      "POST /api/memory/entries addMemoryEntry",
      "POST /api/memory/search searchMemory",
      "POST /api/plans submitPlan",
      "POST /api/plans/{plan_id}/fork forkPlan",
      "POST /api/plans/{plan_id}/retry retryPlan",
      "POST /api/plans/{plan_id}/steps appendSteps",
      "POST /api/plans/{plan_id}/steps/{step_id}/execute executeStep",
      "POST /api/policies/check checkPolicies",
      "POST /api/policies/explain explainPolicies",
      "POST /api/policies/test testPolicies",
      "POST /api/session signIn",
      "POST /api/state/documents importStateDocument",
      "POST /api/state/drift acceptSchemaDrift",
      "POST /api/state/fsck checkState",
      "POST /api/state/gc collectState",
      "POST /api/state/import importState",
      "POST /api/state/merge mergeState",
      "POST /api/state/migrations proposeMigration",
      "POST /api/state/migrations/{migration_id}/apply applyMigration",
      "POST /api/state/migrations/{migration_id}/resume resumeMigration",
      "POST /api/state/migrations/{migration_id}/revert revertMigration",
      "POST /api/state/migrations/{migration_id}/undo undoMigration",
      "POST /api/state/migrations/{migration_id}/verify verifyMigration",
      "POST /api/state/query queryState",
      "POST /api/state/refs moveStateRef",
      "POST /api/state/revert revertState",
      "POST /api/webhooks/deliveries/retry retryWebhookDeliveries",
      "POST /api/webhooks/test testWebhook",
      "POST /billing/budgets setBudget",
      "POST /billing/customers createPaymentCustomer",
      "POST /billing/events reportUsage",
      "POST /billing/prices setPrice",
      "POST /billing/reprice repriceUsage",
      "POST /billing/setup-intent createSetupIntent",
      "POST /billing/setup-pages createSetupPage",
      "POST /billing/usage/verify verifyUsage",
      "PUT /api/memory/retention setMemoryRetention",
      "PUT /api/policies putPolicies",
      "PUT /api/retention setRetention",
      "PUT /billing/customers/{customer_id} rebindPaymentCustomer",
    ]);
  });
});

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;

interface Message {
  readonly name: string;
  readonly field: readonly Field[];
}

interface Field {
  readonly number: number;
  readonly name: string;
  readonly type: string;
  readonly typeName: string;
  readonly label: string;
}

function nameOf(type: { readonly type: object }): string {
  return (type.type as Message).name;
}

function fieldsOf(message: object): readonly string[] {
  return (message as Message).field.map(({ number, name, type, typeName, label }) => {
    const repeated = label === "LABEL_REPEATED" ? "repeated " : "";
    return `${number} ${name}: ${repeated}${typeName || type.replace("TYPE_", "").toLowerCase()}`;
  });
}

describe("the dependencies", () => {
  it("bring no Node of their own: npm's scripts would run on it instead of on the user's", () => {
    const programs = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));
    expect(["node", "npm", "npx"].filter((name) => existsSync(join(programs, name)))).toEqual([]);
  });
});
