import { createClient } from "@steward/client";
import { generateText, jsonSchema, stepCountIs, tool, type LanguageModel } from "ai";

export async function ask(model: LanguageModel, prompt: string, baseUrl: string): Promise<string> {
  const steward = createClient({ baseUrl });
  const definitions = await steward.tools.list();
  const tools = definitions.map(({ name, description, inputSchema }) => {
    const execute = async (input: unknown) => (await steward.tools.call(name, input)).text;
    return [name, tool({ description, inputSchema: jsonSchema(inputSchema), execute })];
  });
  const stopWhen = stepCountIs(20);
  const { text } = await generateText({
    model,
    tools: Object.fromEntries(tools),
    prompt,
    stopWhen,
  });
  return text;
}
