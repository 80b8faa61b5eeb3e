import type { z } from "zod";
import type { McpEndpoint, McpServer } from "../../governance/index.js";
import { present } from "../../kernel/present.js";
import { missingIn, withVariables, type Environment } from "../env.js";
import { mcpOAuthSchema, oauthMistakes, toMcpOAuth } from "./mcp-oauth-schema.js";
import {
  entry,
  entryName,
  intent,
  listOf,
  organizationId,
  text,
  textsBy,
  type ToolsMistake,
} from "./schema-parts.js";

const toolSchema = entry({
  name: text("the name of a tool").regex(
    /^[\w./-]{1,128}$/,
    "must be the name of a tool: letters, digits, _, -, . and /, 128 at most",
  ),
  intent,
});

/** An entry of `mcp_servers` in the tools file. */
export const mcpServerSchema = entry({
  name: entryName,
  url: text("a URL").exactOptional(),
  headers: textsBy("names of headers").exactOptional(),
  oauth: mcpOAuthSchema.exactOptional(),
  command: text("a program").min(1, "must be a program").exactOptional(),
  args: listOf(text("a text"), "texts").exactOptional(),
  env: textsBy("names of variables").exactOptional(),
  organizations: listOf(organizationId, "organizations").exactOptional(),
  tools: listOf(toolSchema, "tools").min(1, "must name the tools that may be called"),
});

type McpServerEntry = z.infer<typeof mcpServerSchema>;

/** Mistakes in an entry that the schema does not detect. */
export function checkMcpServer(
  server: McpServerEntry,
  path: readonly [string, number],
  env: Environment,
): readonly ToolsMistake[] {
  const { url, headers = {}, command, args, env: variables = {}, tools } = server;
  const mistakes: ToolsMistake[] = [];
  const mistake = (key: string | undefined, reason: string): void => {
    mistakes.push({ path: key === undefined ? path : [...path, key], reason });
  };
  if ((url === undefined) === (command === undefined)) {
    mistake(undefined, "needs a url, or a command, and not both");
  }
  if (url !== undefined && !isHttpUrl(url)) {
    // The URL is not repeated, because it may contain a password.
    mistake("url", "must be an http or https URL without a user name or password");
  }
  if (url === undefined && Object.keys(headers).length > 0) mistake("headers", "need a url");
  if (command === undefined && (args !== undefined || Object.keys(variables).length > 0)) {
    mistake(args === undefined ? "env" : "args", "needs a command");
  }
  const places = { headers, oauth: server.oauth ?? {}, env: variables };
  for (const [key, values] of Object.entries(places)) {
    for (const missing of Object.values<string>(values).flatMap((value) => missingIn(value, env))) {
      mistake(key, `names the environment variable ${missing}, which is not set`);
    }
  }
  for (const [name, value] of Object.entries(filledIn(headers, env))) {
    // The value is not repeated, because it may be a secret; fetch would repeat it.
    if (!/^[\w-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      mistake("headers", `have a name or a value of ${name} that a header cannot hold`);
    }
  }
  if (server.oauth !== undefined) {
    if (url === undefined) mistake("oauth", "needs a url");
    if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) {
      mistake("oauth", "does not go together with the header Authorization");
    }
    for (const reason of oauthMistakes(filledIn(server.oauth, env))) mistake("oauth", reason);
  }
  tools.forEach((tool, index) => {
    const first = tools.findIndex(({ name }) => name === tool.name);
    if (first < index) {
      mistakes.push({
        path: [...path, "tools", index, "name"],
        reason: `is the name of tools[${String(first)}] too`,
      });
    }
  });
  return mistakes;
}

/** The valid entry, with the environment's values in headers and variables. */
export function toMcpServer(server: McpServerEntry, env: Environment): McpServer {
  const { name, organizations, tools } = server;
  return {
    name,
    endpoint: endpointOf(server, env),
    ...present({ organizations: organizations?.map((id) => ({ orgId: id.toLowerCase() })) }),
    tools,
  };
}

function endpointOf(
  { url, headers = {}, oauth, command = "", args = [], env: variables = {} }: McpServerEntry,
  env: Environment,
): McpEndpoint {
  if (url === undefined) return { command, args, env: filledIn(variables, env) };
  return {
    url,
    headers: filledIn(headers, env),
    ...present({ oauth: oauth && toMcpOAuth(filledIn(oauth, env)) }),
  };
}

function filledIn<T extends { readonly [K in keyof T]: string }>(values: T, env: Environment): T {
  const filled = Object.entries<string>(values).map(([key, value]) => [
    key,
    withVariables(value, env),
  ]);
  // The keys stay, and each value is a text as before.
  return Object.fromEntries(filled) as T;
}

function isHttpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    (url?.protocol === "https:" || url?.protocol === "http:") &&
    url.username === "" &&
    url.password === ""
  );
}
