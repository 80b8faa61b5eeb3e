import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { Usage, type Model, type ModelResponse } from "@openai/agents";
import type { LanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { decide } from "./decide.js";

/** How many answers a scripted model has ready; a script needs three. */
const TURNS_MAX = 5;

/** A model of the AI SDK. */
export function aiSdkModel(): LanguageModel {
  const none = undefined;
  const usage = {
    inputTokens: { total: none, noCache: none, cacheRead: none, cacheWrite: none },
    outputTokens: { total: none, text: none, reasoning: none },
  };
  return new MockLanguageModelV3({
    doGenerate: ({ prompt, tools = [] }) => {
      expectQuery(tools.map(({ name }) => name));
      const results = prompt.flatMap(({ role, content }) =>
        role === "tool"
          ? content.map((part) => (part.type === "tool-result" ? JSON.stringify(part.output) : ""))
          : [],
      );
      const decision = decide(results.map(unescaped));
      const isCall = "call" in decision;
      return Promise.resolve({
        content: [
          isCall
            ? {
                type: "tool-call" as const,
                toolCallId: `call-${results.length}`,
                toolName: decision.call.name,
                input: JSON.stringify(decision.call.args),
              }
            : { type: "text" as const, text: decision.answer },
        ],
        finishReason: { unified: isCall ? "tool-calls" : "stop", raw: none },
        usage,
        warnings: [],
      });
    },
  });
}

/** A model of the OpenAI Agents SDK. */
export function openAiAgentsModel(): Model {
  return {
    getResponse: ({ input, tools }) => {
      expectQuery(tools.flatMap((tool) => (tool.type === "function" ? [tool.name] : [])));
      const items = typeof input === "string" ? [] : input;
      const results = items.filter(({ type }) => type === "function_call_result");
      const decision = decide(results.map((item) => unescaped(JSON.stringify(item))));
      const output: ModelResponse["output"][number] =
        "call" in decision
          ? {
              type: "function_call",
              callId: `call-${results.length}`,
              name: decision.call.name,
              arguments: JSON.stringify(decision.call.args),
              status: "completed",
            }
          : {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: decision.answer }],
            };
      return Promise.resolve({ usage: new Usage(), output: [output] });
    },
    getStreamedResponse: () => {
      throw new Error("the example does not stream");
    },
  };
}

/** A chat model of LangChain. */
export function langChainModel(): ReturnType<typeof fakeModel> {
  const model = fakeModel();
  for (let turn = 0; turn < TURNS_MAX; turn += 1) model.respond(langChainMessage);
  return model;
}

function langChainMessage(messages: readonly BaseMessage[]): BaseMessage {
  const results = messages.filter(({ type }) => type === "tool").map(({ text }) => text);
  const decision = decide(results);
  if ("answer" in decision) return new AIMessage(decision.answer);
  const { name, args } = decision.call;
  return new AIMessage({
    content: "",
    tool_calls: [{ id: `call-${results.length}`, type: "tool_call", name, args }],
  });
}

/** What the examples show the model must hold the tool that the script calls. */
function expectQuery(names: readonly string[]): void {
  if (!names.includes("query")) throw new Error(`there is no tool query among ${names.join(", ")}`);
}

/** Undoes the quoting of JSON inside JSON. */
function unescaped(json: string): string {
  return json.replaceAll("\\", "");
}
