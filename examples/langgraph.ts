import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { createClient } from "@steward/client";

export async function ask(model: BaseChatModel, content: string, baseUrl: string): Promise<string> {
  const steward = createClient({ baseUrl });
  const definitions = await steward.tools.list();
  const tools = definitions.map(({ name, description, inputSchema: schema }) => {
    const execute = async (input: unknown) => (await steward.tools.call(name, input)).text;
    return tool(execute, { name, description, schema });
  });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", async ({ messages }) => ({
      messages: [await (model.bindTools?.(tools) ?? model).invoke(messages)],
    }))
    .addNode("tools", new ToolNode(tools))
    .addEdge("__start__", "agent")
    .addConditionalEdges("agent", toolsCondition, ["tools", "__end__"])
    .addEdge("tools", "agent");
  const { messages } = await graph.compile().invoke({ messages: [{ role: "user", content }] });
  return messages.at(-1)?.text ?? "";
}
