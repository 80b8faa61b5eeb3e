import { Agent, run, tool, type Model } from "@openai/agents";
import { createClient } from "@steward/client";

export async function ask(model: Model, question: string, baseUrl: string) {
  const steward = createClient({ baseUrl });
  const definitions = await steward.tools.list();
  const tools = definitions.map(({ name, description, inputSchema }) => {
    const parameters = { ...inputSchema, additionalProperties: true as const };
    const execute = async (input: unknown) => (await steward.tools.call(name, input)).text;
    return tool({ name, description, parameters, strict: false, execute });
  });
  const { finalOutput } = await run(new Agent({ name: "Analyst", model, tools }), question);
  return finalOutput;
}
