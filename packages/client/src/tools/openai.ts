import { parseJson } from "../http.js";
import type { CallOptions } from "../plans.js";
import type { ToolDefinition, Tools, ToolSchema } from "./tools.js";

/** A tool in the format of OpenAI's Chat Completions API, which many other servers take too. */
export interface OpenAiTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: ToolSchema;
  };
}

/** A tool call in an assistant's message. */
export interface OpenAiToolCall {
  readonly id: string;
  readonly function: {
    readonly name: string;
    /** JSON, as the LLM wrote it. */
    readonly arguments: string;
  };
}

/** The message that answers a tool call. */
export interface OpenAiToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly content: string;
}

/** The field `tools` of a request to the Chat Completions API. */
export function openAiTools(definitions: readonly ToolDefinition[]): OpenAiTool[] {
  return definitions.map(({ name, description, inputSchema: parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
}

/**
 * Carries out the tool calls of an assistant's message, one after the other.
 * @param calls the message's `tool_calls`.
 * @returns the messages that answer it.
 */
export async function answerOpenAiCalls(
  tools: Pick<Tools, "call">,
  calls: readonly OpenAiToolCall[],
  options?: CallOptions,
): Promise<OpenAiToolMessage[]> {
  const messages: OpenAiToolMessage[] = [];
  for (const { id, function: called } of calls) {
    const { text } = await tools.call(called.name, parseJson(called.arguments), options);
    messages.push({ role: "tool", tool_call_id: id, content: text });
  }
  return messages;
}
