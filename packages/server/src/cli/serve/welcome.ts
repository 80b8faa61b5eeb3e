import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { maskDatabaseUrl, SERVER_URL_SETTING } from "../../config/index.js";
import type { AgentRights } from "../../app/agent-rights.js";
import type { Config } from "../../config/index.js";
import type { ServerUrls } from "./server-urls.js";
import type { Colors } from "../terminal/terminal.js";

/** The addresses of a new server, for the person who started it. */
export function places(
  urls: ServerUrls,
  config: Config,
  readyMs: number,
  rights: AgentRights,
  { bold, cyan, dim, green }: Colors,
): readonly string[] {
  const { databaseUrl = "", dataSources } = config;
  const place = (name: string, value: string): string => `  ${dim(name.padEnd(9))} ${value}`;
  return [
    "",
    `  ${green(bold("Steward"))} is ready ${dim(`in ${String(Math.round(readyMs))} ms`)}`,
    "",
    ...(urls.console === undefined ? [] : [place("console", bold(cyan(urls.console)))]),
    place("REST", cyan(`${urls.rest}/api/plans`)),
    place("gRPC", cyan(urls.grpc)),
    place("MCP", cyan(`${urls.rest}/mcp`)),
    place("API docs", cyan(urls.docs)),
    place("metrics", cyan(urls.metrics)),
    place("plans in", maskDatabaseUrl(databaseUrl)),
    ...dataSources.map(({ name, url }) => place("data", `${name} = ${maskDatabaseUrl(url)}`)),
    ...(isTriedOut(config) ? [place("rights", TRIED_OUT)] : []),
    ...agentLinesOf(rights).map((line, index) => place(index === 0 ? "agents" : "", line)),
    "",
  ];
}

/** What an agent could do now, beside trying out. */
function agentLinesOf({ permit, approval, deny }: AgentRights): readonly string[] {
  const part = (when: string, intents: readonly string[]): string[] =>
    intents.length === 0 ? [] : [`${intents.join(", ")} ${when}`];
  const parts = [
    ...part("at once", permit),
    ...part("with a person's approval", approval),
    ...part("never", deny),
  ];
  const isOpen = permit.some((intent) => intent !== "read_select");
  return [
    `with the role agent: ${parts.join("; ")}`,
    ...(isOpen ? ["put their changes under approval: npx steward policy init"] : []),
  ];
}

const TRIED_OUT = "everything but billing, for callers on this machine who name no role";

/** Whether unverified identity headers are trusted. */
function isTriedOut({ auth: { headers } }: Config): boolean {
  if (headers === undefined) return false;
  return headers.trustedProxies.length === 0 && headers.proxySecrets.length === 0;
}

/** How to add the server to an agent; docs/mcp.md has the lines with an API key, and those of ChatGPT. */
export function agentLines({ rest }: ServerUrls, { bold, dim }: Colors): readonly string[] {
  const server = { name: "steward", type: "http", url: `${rest}/mcp` };
  const file = (steward: object): string => `    ${JSON.stringify({ mcpServers: { steward } })}`;
  const program = fileURLToPath(new URL("../../../bin/steward.js", import.meta.url));
  return [
    `  ${bold("Add it to your agent")} ${dim("(Claude Code; VS Code; others: docs/mcp.md):")}`,
    "",
    `    claude mcp add --transport http ${server.name} ${server.url}`,
    `    code --add-mcp '${JSON.stringify(server)}'`,
    "",
    `  ${dim("Cursor, in ~/.cursor/mcp.json:")}`,
    "",
    file({ url: server.url }),
    "",
    `  ${dim("Claude Desktop, in claude_desktop_config.json:")}`,
    "",
    file({ command: "node", args: [program, "mcp"], env: { SERVICE_URL: rest } }),
    "",
  ];
}

/** First commands to try on the sample database; every line can be pasted. */
export function firstPlan(urls: ServerUrls, { bold, dim }: Colors): readonly string[] {
  return [
    `  ${bold("Run a first plan")} ${dim("in another terminal:")}`,
    "",
    `    ${firstPlanCommand(urls)}`,
    "",
    `  ${dim("or submit one with curl, and run its step with the plan_id that comes back:")}`,
    "",
    `    ${submitCurl(urls)}`,
    `    curl -sS -X POST ${urls.rest}/api/plans/PLAN_ID/steps/orders/execute`,
    "",
  ];
}

function firstPlanCommand({ rest }: ServerUrls): string {
  const example = fileURLToPath(new URL("../../../examples/first-plan.json", import.meta.url));
  const server = rest === SERVER_URL_SETTING.default ? "" : ` --server ${rest}`;
  return `npx steward plan run ${relative(process.cwd(), example)}${server}`;
}

function submitCurl({ rest }: ServerUrls): string {
  const step = {
    id: "orders",
    tool_name: "sql",
    intent: "read_select",
    query_template: "SELECT * FROM orders LIMIT 3",
  };
  const body = JSON.stringify({ name: "hello", steps: [step] });
  return `curl -sS ${rest}/api/plans -H 'content-type: application/json' -d '${body}'`;
}
