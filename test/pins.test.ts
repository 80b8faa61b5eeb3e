import { loadSync } from "@grpc/proto-loader";
import { ERROR_CODES } from "@steward/protocol";
import { openApp } from "@steward/server";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/**
 * What other people's programs are built on, written out. A difference here is a change that they
 * will notice: an addition is welcome and goes into the list, anything else is a break.
 */
describe("the error codes", () => {
  it("are these", () => {
    expect(ERROR_CODES).toEqual([
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
      "APPROVAL_REQUIRED",
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
      "INTENT_MISMATCH",
      "OUTCOME_UNKNOWN",
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

describe("the package controlplane.v1", () => {
  const proto = fileURLToPath(
    import.meta.resolve("@steward/protocol/proto/controlplane/v1/control_plane.proto"),
  );
  const definitions = Object.entries(loadSync(proto, { keepCase: true }));

  it("has these calls", () => {
    const calls = definitions.flatMap(([, definition]) =>
      "type" in definition
        ? []
        : Object.values(definition).map(
            ({ path, requestType, responseType, responseStream }) =>
              `${path}: ${nameOf(requestType)} -> ${responseStream ? "stream " : ""}${nameOf(responseType)}`,
          ),
    );
    expect(calls).toEqual([
      "/controlplane.v1.ControlPlaneService/SubmitPlan: SubmitPlanRequest -> SubmitPlanResponse",
      "/controlplane.v1.ControlPlaneService/GetPlanStatus: GetPlanStatusRequest -> GetPlanStatusResponse",
      "/controlplane.v1.ControlPlaneService/ExecuteStep: ExecuteStepRequest -> ExecuteStepResponse",
      "/controlplane.v1.ControlPlaneService/CancelPlan: CancelPlanRequest -> CancelPlanResponse",
      "/controlplane.v1.ControlPlaneService/StreamPlanEvents: StreamPlanEventsRequest -> stream PlanEvent",
      "/controlplane.v1.ControlPlaneService/ListPlans: ListPlansRequest -> ListPlansResponse",
      "/controlplane.v1.ControlPlaneService/RetryPlan: RetryPlanRequest -> RetryPlanResponse",
    ]);
  });

  it("has these messages, fields and numbers", () => {
    const messages = definitions.flatMap(([name, definition]) =>
      "type" in definition
        ? [[name.replace("controlplane.v1.", ""), fieldsOf(definition.type)]]
        : [],
    );
    expect(Object.fromEntries(messages)).toEqual({
      SubmitPlanRequest: [
        "1 session_id: string",
        "2 name: string",
        "3 description: string",
        "4 steps: repeated PlanStepDef",
      ],
      PlanStepDef: [
        "1 step_id: string",
        "2 name: string",
        "3 tool_name: string",
        "4 intent: string",
        "5 query_template: string",
        "6 depends_on: repeated string",
        "7 schema_table_hints: repeated string",
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
      ],
      StepError: ["1 code: string", "2 message: string"],
      ExecuteStepRequest: ["1 plan_id: string", "2 step_id: string"],
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
    });
  });
});

describe("the REST interface", () => {
  it("has these routes", async () => {
    await using app = await openApp({ port: 0, logLevel: "silent" });
    const response = await fetch(`http://127.0.0.1:${app.address.port}/openapi.json`);
    const { paths } = (await response.json()) as { paths: Readonly<Record<string, object>> };
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(routes.sort()).toEqual([
      "DELETE /api/plans/{plan_id}",
      "DELETE /billing/budgets/{budget_id}",
      "DELETE /billing/payment-methods/{pm_id}",
      "GET /api/plans",
      "GET /api/plans/{plan_id}",
      "GET /api/plans/{plan_id}/events",
      "GET /billing/budgets",
      "GET /billing/payment-methods",
      "GET /billing/prices",
      "GET /billing/usage",
      "GET /billing/usage/heatmap",
      "GET /healthz",
      "GET /metrics",
      "GET /readyz",
      "POST /api/plans",
      "POST /api/plans/{plan_id}/retry",
      "POST /api/plans/{plan_id}/steps/{step_id}/execute",
      "POST /billing/budgets",
      "POST /billing/events",
      "POST /billing/prices",
      "POST /billing/reprice",
      "POST /billing/setup-intent",
      "POST /billing/usage/verify",
    ]);
  });
});

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
