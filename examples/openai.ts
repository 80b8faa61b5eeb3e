import { answerOpenAiCalls, createClient, openAiTools, type OpenAiToolCall } from "@steward/client";

/** Sends a request to the Chat Completions API, such as `client.chat.completions.create` of OpenAI's SDK. */
type Create = (request: object) => Promise<{ choices: { message: Message }[] }>;
type Message = { content: string | null; tool_calls?: OpenAiToolCall[] };

export async function ask(create: Create, question: string, baseUrl: string): Promise<string> {
  const steward = createClient({ baseUrl });
  const tools = openAiTools(await steward.tools.list());
  const messages: object[] = [{ role: "user", content: question }];
  for (;;) {
    const { choices } = await create({ model: "gpt-5.1", tools, messages });
    const { content = "", tool_calls: calls = [] } = choices[0]?.message ?? {};
    if (calls.length === 0) return content ?? "";
    messages.push(choices[0]?.message ?? {}, ...(await answerOpenAiCalls(steward.tools, calls)));
  }
}
