import { answerAnthropicCalls, anthropicTools, createClient } from "@steward/client";
import type { AnthropicContent } from "@steward/client";

/** Sends a request to the Messages API, such as `client.messages.create` of Anthropic's SDK. */
type Create = (request: object) => Promise<{ content: (AnthropicContent & { text?: string })[] }>;

export async function ask(create: Create, question: string, baseUrl: string): Promise<string> {
  const steward = createClient({ baseUrl });
  const tools = anthropicTools(await steward.tools.list());
  const messages: object[] = [{ role: "user", content: question }];
  for (;;) {
    const { content } = await create({
      model: "claude-opus-4-5",
      max_tokens: 4096,
      tools,
      messages,
    });
    const results = await answerAnthropicCalls(steward.tools, content);
    if (results.length === 0) return content.map(({ text = "" }) => text).join("");
    messages.push({ role: "assistant", content }, { role: "user", content: results });
  }
}
