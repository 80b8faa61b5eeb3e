import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

/** Tokens that the tokenizer o200k makes of a text. */
export function o200kTokens(text: string): number {
  return encode(text).length;
}

/** A client of the official SDK, which reads what its address chooses. */
export async function openMcpClient(
  url: URL,
  headers: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const info = { name: "test", version: "1.0.0" };
  const client = new Client(info, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

/** Tokens of what an LLM reads of a server before its first call: the instructions, and each tool's name, description and input. */
export async function listTokens(client: Client): Promise<number> {
  const { tools } = await client.listTools();
  const read = tools.map(({ name, description, inputSchema }) =>
    JSON.stringify({ name, description, inputSchema }),
  );
  return o200kTokens([client.getInstructions() ?? "", ...read].join("\n"));
}

/** Calls a tool. @returns the text that an LLM reads. */
export async function textOf(client: Client, name: string, args: object): Promise<string> {
  const { content } = await client.callTool({ name, arguments: { ...args } });
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
