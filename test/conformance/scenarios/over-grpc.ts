import * as grpc from "@grpc/grpc-js";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { expectRefusal } from "../expectations.js";
import { loadProto, serverStream, stubOf, unary } from "../wires/grpc-stub.js";
import { scenarioOver, step, type Scenario } from "../scenario.js";

/** The source directory, because .proto files are not copied to the build. */
const SOURCES = fileURLToPath(new URL("../../../conformance/", import.meta.url));

const overGrpcAs = (cites: Scenario["cites"], title: string, run: Scenario["run"]): Scenario =>
  scenarioOver("grpc", cites, title, run);

/** Features of gRPC only: field numbers, status details, reflection and health. */
export const overGrpc: readonly Scenario[] = [
  overGrpcAs(
    [
      "C2.1-fields",
      "C2.2-fields",
      "C2.6-fields",
      "C4.1-execute",
      "C4.1-stream",
      "D10-contract-client",
    ],
    "a client built from the contract's names and numbers alone runs a plan",
    async ({ steward }) => {
      const proto = loadProto(["contract.proto"], SOURCES);
      const stub = stubOf(proto, "controlplane.v1.ControlPlaneService", steward.address);
      try {
        const { plan_id, status } = await unary<{ plan_id: string; status: string }>(
          stub,
          "SubmitPlan",
          {
            session_id: "s",
            name: "n",
            description: "d",
            steps: [
              {
                step_id: "a",
                name: "first",
                tool_name: "sql",
                intent: "read_select",
                query_template: "SELECT 1 AS n",
                schema_table_hints: ["orders"],
              },
              {
                step_id: "b",
                query_template: "SELECT {{step.a.output[0].n}} + 1 AS n",
                depends_on: ["a"],
              },
            ],
          },
        );
        expect(status).toBe("pending");
        const execute = (step_id: string) => unary(stub, "ExecuteStep", { plan_id, step_id });
        expect(await execute("b")).toMatchObject({
          success: false,
          error_message: expect.stringContaining("a"),
          error_code: "STEP_DEPENDENCIES_NOT_MET",
        });
        await execute("a");
        expect(await execute("b")).toMatchObject({
          success: true,
          step_result: { step_id: "b", status: "completed", row_count: 1, attempt: 1 },
          llm_context_update: { plan_id, step_id: "b", tool_output_json: '[{"n":2}]' },
          error_message: "",
        });
        expect(await unary(stub, "GetPlanStatus", { plan_id })).toMatchObject({
          plan_id,
          status: "completed",
          steps: [{ step_id: "a", status: "completed" }, { step_id: "b" }],
        });
        const types: string[] = [];
        const request = { plan_id, after_sequence: 1 };
        for await (const event of serverStream<Record<string, unknown>>(
          stub,
          "StreamPlanEvents",
          request,
        )) {
          expect(event).toMatchObject({ plan_id, payload_json: expect.stringMatching(/^\{/) });
          types.push(String(event["event_type"]));
        }
        expect(types).toHaveLength(6);
        expect(types.at(-1)).toBe("PlanCompleted");
      } finally {
        stub.close();
      }
    },
  ),
  overGrpcAs(
    ["D9-error-info"],
    "an error carries its code as the reason of ErrorInfo and its fields as BadRequest",
    async ({ client }) => {
      await expectRefusal("grpc", client.submit({ name: "x".repeat(256), steps: [] }), {
        code: "LIMIT_EXCEEDED",
        grpc: "INVALID_ARGUMENT",
        rest: 400,
        field: "name",
      });
    },
  ),
  overGrpcAs(
    ["D4-limit-request", "D9-too-large"],
    "a message over 4 MiB is not read",
    async ({ client }) => {
      const plan = { description: "x".repeat(4 * 1024 * 1024), steps: [step("a", "SELECT 1")] };
      await expect(client.submit(plan)).rejects.toMatchObject({ status: "RESOURCE_EXHAUSTED" });
    },
  ),
  overGrpcAs(
    ["D10-reflection"],
    "server reflection lists the service and describes its messages",
    async ({ steward }) => {
      const proto = loadProto(["grpc/reflection/v1/reflection.proto"]);
      const stub = stubOf(proto, "grpc.reflection.v1.ServerReflection", steward.address);
      const stream = stub["ServerReflectionInfo"]?.();
      try {
        const answers = stream?.[Symbol.asyncIterator]();
        const ask = async (request: object) => {
          stream?.write(request);
          return (await answers?.next())?.value as Record<string, unknown>;
        };
        const { list_services_response } = await ask({ list_services: "" });
        expect(list_services_response).toMatchObject({
          service: expect.arrayContaining([{ name: "controlplane.v1.ControlPlaneService" }]),
        });
        const symbol = "controlplane.v1.PlanStepDef";
        const { file_descriptor_response } = await ask({ file_containing_symbol: symbol });
        const { file_descriptor_proto } = file_descriptor_response as {
          file_descriptor_proto: Buffer[];
        };
        expect(Buffer.concat(file_descriptor_proto).toString("latin1")).toContain("query_template");
      } finally {
        stream?.cancel();
        stub.close();
      }
    },
  ),
  overGrpcAs(["D10-health"], "the health service says SERVING", async ({ steward }) => {
    const proto = loadProto(["grpc/health/v1/health.proto"]);
    const stub = stubOf(proto, "grpc.health.v1.Health", steward.address);
    try {
      for (const service of ["", "controlplane.v1.ControlPlaneService"]) {
        const { status } = await unary<{ status: unknown }>(stub, "Check", { service });
        expect(status).toBe(1);
      }
      await expect(unary(stub, "Check", { service: "no.such" })).rejects.toMatchObject({
        code: grpc.status.NOT_FOUND,
      });
    } finally {
      stub.close();
    }
  }),
];
