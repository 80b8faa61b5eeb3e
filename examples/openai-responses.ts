import {
  answerOpenAiResponsesCalls,
  createClient,
  openAiResponsesTools,
  type OpenAiResponsesItem,
} from "@steward/client";

/** Sends a request to the Responses API, such as `client.responses.create` of OpenAI's SDK. */
type Create = (request: object) => Promise<{ output: OpenAiResponsesItem[]; output_text: string }>;

export async function ask(create: Create, question: string, baseUrl: string): Promise<string> {
  const steward = createClient({ baseUrl });
  const tools = openAiResponsesTools(await steward.tools.list());
  const input: object[] = [{ role: "user", content: question }];
  for (;;) {
    const { output, output_text: text } = await create({ model: "gpt-5.1", tools, input });
    const answers = await answerOpenAiResponsesCalls(steward.tools, output);
    if (answers.length === 0) return text;
    input.push(...output, ...answers);
  }
}
