import type { AnthropicContent, OpenAiResponsesItem, OpenAiToolCall } from "@steward/client";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decide } from "./decide.js";

/** A scripted model behind Anthropic's Messages API. */
export function createMessage(
  request: object,
): Promise<{ content: (AnthropicContent & { text?: string })[] }> {
  const { tools, messages } = request as {
    tools: { name: string; input_schema: object }[];
    messages: { content: string | { type: string; content?: string }[] }[];
  };
  if (!tools.some(({ name }) => name === "query")) throw new Error("no tool is called query");
  const results = messages
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .flatMap(({ type, content = "" }) => (type === "tool_result" ? [content] : []));
  const decision = decide(results);
  if ("answer" in decision) {
    return Promise.resolve({ content: [{ type: "text", text: decision.answer }] });
  }
  const { name, args: input } = decision.call;
  const call = { type: "tool_use", id: `toolu_${results.length}`, name, input };
  return Promise.resolve({ content: [{ type: "text", text: "I ask the database." }, call] });
}

interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: OpenAiToolCall[];
}

/** A scripted model behind OpenAI's Chat Completions API. */
export function createCompletion(
  request: object,
): Promise<{ choices: { message: ChatMessage }[] }> {
  const { tools, messages } = request as {
    tools: { function: { name: string } }[];
    messages: ChatMessage[];
  };
  if (!tools.some(({ function: { name } }) => name === "query")) throw new Error("no tool query");
  const results = messages.filter(({ role }) => role === "tool");
  const decision = decide(results.map(({ content }) => content ?? ""));
  const message: ChatMessage =
    "answer" in decision
      ? { role: "assistant", content: decision.answer }
      : { role: "assistant", content: null, tool_calls: [toolCall(decision.call, results.length)] };
  return Promise.resolve({ choices: [{ message }] });
}

/** A scripted model behind OpenAI's Responses API. */
export function createResponse(
  request: object,
): Promise<{ output: OpenAiResponsesItem[]; output_text: string }> {
  const { tools, input } = request as {
    tools: { name: string }[];
    input: { type?: string; output?: string }[];
  };
  if (!tools.some(({ name }) => name === "query")) throw new Error("no tool is called query");
  const results = input.filter(({ type }) => type === "function_call_output");
  const decision = decide(results.map(({ output = "" }) => output));
  if ("answer" in decision) {
    return Promise.resolve({ output: [{ type: "message" }], output_text: decision.answer });
  }
  const { name, args } = decision.call;
  const called = { name, arguments: JSON.stringify(args) };
  const output = [{ type: "function_call", call_id: `call_${results.length}`, ...called }];
  return Promise.resolve({ output, output_text: "" });
}

function toolCall(
  { name, args }: { readonly name: string; readonly args: object },
  index: number,
): OpenAiToolCall & { readonly type: "function" } {
  const called = { name, arguments: JSON.stringify(args) };
  return { id: `call_${index}`, type: "function", function: called };
}

/** A server on loopback with the Chat Completions API of the scripted model. */
export async function startModelServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as object;
      void createCompletion(body).then((answer) => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(answer));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The address of a TCP server is an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
