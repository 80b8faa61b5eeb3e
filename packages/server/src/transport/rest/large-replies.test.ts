import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { QueryRuntimeContext, StepExecution } from "../../plans/index.js";
import { InMemoryOrchestrator } from "../testing/in-memory-orchestrator.js";
import { send, startRestServer, type TestRestServer } from "./testing/rest-server.js";

const OUTPUT = JSON.stringify(
  Array.from({ length: 40_000 }, (_, n) => ({ n, text: 'ä "quoted"' })),
);

/** Its steps have an output of a megabyte. */
class LargeOutputs extends InMemoryOrchestrator {
  override async executeStep(
    ...given: [string, string, QueryRuntimeContext]
  ): Promise<StepExecution> {
    const execution = await super.executeStep(...given);
    const { llmContextUpdate } = execution;
    return { ...execution, llmContextUpdate: { ...llmContextUpdate, toolOutputJson: OUTPUT } };
  }
}

describe("a large answer", () => {
  let server: TestRestServer;
  const headers = { "x-org-id": "11111111-1111-4111-8111-111111111111" };
  const execute = "/api/plans/plan-1/steps/a/execute";
  beforeAll(async () => {
    server = await startRestServer({ orchestrator: new LargeOutputs() });
    const steps = [{ id: "a", tool_name: "sql", query_template: "SELECT 1" }];
    await send(server, "POST /api/plans", { headers, body: { name: "p", steps } });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("arrives whole, with its length, over HTTP/1.1", async () => {
    const response = await fetch(`${server.url}${execute}`, { method: "POST", headers });
    const body = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(body)));
    expect(outputOf(body)).toBe(OUTPUT);
  });
});

function outputOf(body: string): string {
  const { data } = JSON.parse(body) as {
    readonly data: { readonly llm_context_update: { readonly tool_output_json: string } };
  };
  return data.llm_context_update.tool_output_json;
}
