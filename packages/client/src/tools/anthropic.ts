import type { CallOptions } from "../plans.js";
import type { ToolDefinition, Tools, ToolSchema } from "./tools.js";

/** A tool in the format of Anthropic's Messages API. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: ToolSchema;
}

/** A part of an assistant's message; of the many types, only `tool_use` matters here. */
export interface AnthropicContent {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
}

/** The result of a tool call, a part of the next user message. */
export interface AnthropicToolResult {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: string;
  readonly is_error: boolean;
}

/** The field `tools` of a request to the Messages API. */
export function anthropicTools(definitions: readonly ToolDefinition[]): AnthropicTool[] {
  return definitions.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }));
}

/**
 * Carries out the tool calls of an assistant's message, one after the other.
 * @param content the message's `content`.
 * @returns the `content` of the user message that answers it; empty when it calls no tool.
 */
export async function answerAnthropicCalls(
  tools: Pick<Tools, "call">,
  content: readonly AnthropicContent[],
  options?: CallOptions,
): Promise<AnthropicToolResult[]> {
  const results: AnthropicToolResult[] = [];
  for (const { type, id = "", name = "", input } of content) {
    if (type !== "tool_use") continue;
    const { text, isError } = await tools.call(name, input, options);
    results.push({ type: "tool_result", tool_use_id: id, content: text, is_error: isError });
  }
  return results;
}
