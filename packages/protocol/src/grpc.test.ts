import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import * as wire from "./grpc.js";

/** Fields as `number name type`. */
function fieldsOf({ fields }: DescMessage): readonly string[] {
  return fields.map((field) => `${String(field.number)} ${field.name} ${typeOf(field)}`);
}

function typeOf(field: DescField): string {
  const type = field.message?.name ?? (field.scalar && ScalarType[field.scalar].toLowerCase());
  return field.fieldKind === "list" ? `repeated ${String(type)}` : String(type);
}

// Written as literals, because changing one of these numbers silently breaks existing clients.
describe("the numbers of the contract (§2.1, §2.2, §2.6, §4.1)", () => {
  it("are those of SubmitPlanRequest and PlanStepDef", () => {
    expect(fieldsOf(wire.SubmitPlanRequestSchema)).toEqual([
      "1 session_id string",
      "2 name string",
      "3 description string",
      "4 steps repeated PlanStepDef",
      "5 on_failure string",
      "6 keep_open bool",
    ]);
    expect(fieldsOf(wire.PlanStepDefSchema)).toEqual([
      "1 step_id string",
      "2 name string",
      "3 tool_name string",
      "4 intent string",
      "5 query_template string",
      "6 depends_on repeated string",
      "7 schema_table_hints repeated string",
      "8 max_rows int32",
      "9 max_bytes int32",
      "10 data_source string",
      "11 timeout_ms int32",
    ]);
  });

  it("are those of ExecuteStep", () => {
    expect(fieldsOf(wire.ExecuteStepRequestSchema)).toEqual([
      "1 plan_id string",
      "2 step_id string",
      "3 offset int32",
      "4 max_rows int32",
      "5 max_bytes int32",
    ]);
    expect(fieldsOf(wire.ExecuteStepResponseSchema)).toEqual([
      "1 success bool",
      "2 step_result StepStatus",
      "3 llm_context_update LlmContextUpdate",
      "4 error_message string",
      "5 error_code string",
      "6 replayed bool",
    ]);
  });

  it("are those of PlanEvent", () => {
    expect(fieldsOf(wire.PlanEventSchema)).toEqual([
      "1 plan_id string",
      "2 event_type string",
      "3 payload_json string",
      "4 timestamp string",
      "5 sequence int64",
    ]);
  });
});

describe("the numbers of Decision §10", () => {
  it.each([
    [wire.SubmitPlanResponseSchema, ["1 plan_id string", "2 status string"]],
    [wire.GetPlanStatusRequestSchema, ["1 plan_id string"]],
    [wire.CancelPlanRequestSchema, ["1 plan_id string", "2 reason string"]],
    [wire.CancelPlanResponseSchema, ["1 plan_id string", "2 status string"]],
    [wire.StreamPlanEventsRequestSchema, ["1 plan_id string", "2 after_sequence int64"]],
    [
      wire.LlmContextUpdateSchema,
      [
        "1 plan_id string",
        "2 step_id string",
        "3 tool_output_json string",
        "4 schema_additions repeated SchemaTableDelta",
        "5 augmentation_hints repeated string",
        "6 next_offset int32",
      ],
    ],
    [
      wire.SchemaTableDeltaSchema,
      ["1 table_name string", "2 operation string", "3 table_def_json string"],
    ],
  ])("are those of %s", (schema, fields) => {
    expect(fieldsOf(schema)).toEqual(fields);
  });

  it("are those of a step's status, and of a plan's", () => {
    expect(fieldsOf(wire.StepStatusSchema).slice(0, 6)).toEqual([
      "1 step_id string",
      "2 status string",
      "3 row_count int64",
      "4 executed_at string",
      "5 attempt int32",
      "6 error StepError",
    ]);
    expect(fieldsOf(wire.GetPlanStatusResponseSchema).slice(0, 3)).toEqual([
      "1 plan_id string",
      "2 status string",
      "3 steps repeated StepStatus",
    ]);
  });
});

describe("the service", () => {
  it("begins with the contract's methods", () => {
    const { typeName, methods } = wire.ControlPlaneService;
    expect(typeName).toBe("controlplane.v1.ControlPlaneService");
    expect(methods.slice(0, 5).map(({ name, methodKind }) => `${name} ${methodKind}`)).toEqual([
      "SubmitPlan unary",
      "GetPlanStatus unary",
      "ExecuteStep unary",
      "CancelPlan unary",
      "StreamPlanEvents server_streaming",
    ]);
  });
});
