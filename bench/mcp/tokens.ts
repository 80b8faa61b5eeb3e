import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTarget, openApp, openMcpClient, tokens } from "./server-modules.js";

/**
 * What an LLM reads and writes over MCP for one small question, in tokens of o200k: the tools and the instructions, then
 * each call with its answer. The figures of DBHub beside it were not measured in the same run.
 *
 *     npm run build && node bench/dist/mcp/tokens.js
 */
const DBHUB = { list: 272, question: 2_865 };

const CALLS = [
  ["explore_data", { query: "How many customers are there in each city?" }],
  ["explore_data", { tables: ["customers"] }],
  ["query", { sql: "SELECT city, count(*) AS n FROM customers GROUP BY city ORDER BY n DESC" }],
] as const;

const dir = mkdtempSync(join(tmpdir(), "steward-bench-tokens-"));
createTarget(join(dir, "shop.db"));
const app = await openApp({
  port: 0,
  logLevel: "silent",
  dataDir: dir,
  databaseUrl: `sqlite:${join(dir, "steward.db")}`,
  dataSources: [{ name: "shop", url: `sqlite:${join(dir, "shop.db")}` }],
});
const url = new URL(`http://127.0.0.1:${String(app.address.port)}/mcp`);

const client = await openMcpClient(url);
const list = await tokens.ofList(client);
print("tools and instructions", list, DBHUB.list);
let question = list;
for (const [name, args] of CALLS) {
  const asked = tokens.of(JSON.stringify({ name, arguments: args }));
  const answered = tokens.of(await tokens.textOf(client, name, args));
  print(`${name}: call and answer`, asked + answered);
  question += asked + answered;
}
print("small question, end to end", question, DBHUB.question);
await client.close();
for (const toolset of ["plans", "memory", "migrations", "admin", "all"]) {
  const other = await openMcpClient(new URL(`?toolsets=${toolset}`, url), {
    "x-user-role": "admin",
  });
  print(`tools and instructions, ${toolset}`, await tokens.ofList(other));
  await other.close();
}
await app[Symbol.asyncDispose]();
rmSync(dir, { recursive: true });

function print(what: string, ours: number, dbhub?: number): void {
  const beside = dbhub === undefined ? "" : `   DBHub ${String(dbhub)}`;
  process.stdout.write(`${what.padEnd(36)} ${String(ours).padStart(5)}${beside}\n`);
}
