import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { createClient } from "@steward/client";
import { createAgent, tool } from "langchain";

export async function ask(model: BaseChatModel, content: string, baseUrl: string): Promise<string> {
  const steward = createClient({ baseUrl });
  const definitions = await steward.tools.list();
  const tools = definitions.map(({ name, description, inputSchema: schema }) => {
    const execute = async (input: unknown) => (await steward.tools.call(name, input)).text;
    return tool(execute, { name, description, schema });
  });
  const agent = createAgent({ model, tools });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content }] });
  return messages.at(-1)?.text ?? "";
}
