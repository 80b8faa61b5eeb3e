import { parseJson } from "../http.js";
import type { CallOptions } from "../plans.js";
import type { ToolDefinition, Tools, ToolSchema } from "./tools.js";

/** A tool in the format of OpenAI's Responses API, in which its fields are flat. */
export interface OpenAiResponsesTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: ToolSchema;
  /** Strict mode demands that every field is required; most fields of these tools are optional. */
  readonly strict: false;
}

/** An item of a response's `output`; of the many types, only `function_call` matters here. */
export interface OpenAiResponsesItem {
  readonly type: string;
  readonly call_id?: string;
  readonly name?: string;
  /** JSON, as the LLM wrote it. */
  readonly arguments?: string;
}

/** The item that answers a function call. */
export interface OpenAiResponsesOutput {
  readonly type: "function_call_output";
  readonly call_id: string;
  readonly output: string;
}

/** The field `tools` of a request to the Responses API. */
export function openAiResponsesTools(
  definitions: readonly ToolDefinition[],
): OpenAiResponsesTool[] {
  return definitions.map(({ name, description, inputSchema: parameters }) => ({
    ...{ type: "function", name, description, parameters },
    strict: false,
  }));
}

/**
 * Carries out the function calls of a response, one after the other.
 * @param items the response's `output`.
 * @returns the items of the next request's `input` that answer it; empty when it calls no function.
 */
export async function answerOpenAiResponsesCalls(
  tools: Pick<Tools, "call">,
  items: readonly OpenAiResponsesItem[],
  options?: CallOptions,
): Promise<OpenAiResponsesOutput[]> {
  const outputs: OpenAiResponsesOutput[] = [];
  for (const { type, call_id = "", name = "", arguments: args = "" } of items) {
    if (type !== "function_call") continue;
    const { text } = await tools.call(name, parseJson(args), options);
    outputs.push({ type: "function_call_output", call_id, output: text });
  }
  return outputs;
}
