import { z } from "zod";
import { INTENTS, type Intent, type McpEndpoint, type McpServer } from "../../governance/index.js";
import { isUuid } from "@steward/kernel/ids.js";
import { missingIn, withVariables, type Environment } from "../env.js";
import {
  type McpOAuthEntry,
  mcpOAuthSchema,
  oauthMistakes,
  toMcpOAuth,
} from "./mcp-oauth-schema.js";
import type { ToolsMistake } from "../tools-schema.js";
import { unknownKey } from "../unknown-key.js";

interface McpServerEntry {
  readonly name: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly oauth?: McpOAuthEntry;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly organizations?: readonly string[];
  readonly tools: readonly { readonly name: string; readonly intent: Intent }[];
}

const text = (what: string): z.ZodString => z.string({ error: `must be ${what}` });
const texts = (what: string): z.ZodRecord<z.ZodString, z.ZodString> =>
  z.record(z.string(), text("a text"), { error: `must map ${what} to texts` });

const toolSchema = z.strictObject(
  {
    name: text("the name of a tool").regex(
      /^[\w./-]{1,128}$/,
      "must be the name of a tool: letters, digits, _, -, . and /, 128 at most",
    ),
    intent: z.enum(INTENTS, { error: `must be one of ${INTENTS.join(", ")}` }),
  },
  { error: unknownKey(["name", "intent"]) },
);

const KEYS = [
  ...["name", "url", "headers", "oauth", "command", "args", "env"],
  ...["organizations", "tools"],
];

/** An entry of `mcp_servers` in the tools file. */
export const mcpServerSchema: z.ZodType<McpServerEntry> = z.strictObject(
  {
    name: text("a name").regex(
      /^[\w-]{1,64}$/,
      "must be a name of letters, digits, _ and -, 64 at most",
    ),
    url: text("a URL").exactOptional(),
    headers: texts("names of headers").exactOptional(),
    oauth: mcpOAuthSchema.exactOptional(),
    command: text("a program").min(1, "must be a program").exactOptional(),
    args: z.array(text("a text"), { error: "must be a list of texts" }).exactOptional(),
    env: texts("names of variables").exactOptional(),
    organizations: z
      .array(
        text("the id of an organization, a UUID").refine(isUuid, {
          error: "must be the id of an organization, a UUID",
        }),
        { error: "must be a list of organizations" },
      )
      .exactOptional(),
    tools: z
      .array(toolSchema, { error: "must be a list of tools" })
      .min(1, "must name the tools that may be called"),
  },
  { error: unknownKey(KEYS) },
);

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
  const { oauth = {} } = server;
  const places = [
    ["headers", headers] as const,
    ["oauth", oauth] as const,
    ["env", variables] as const,
  ];
  for (const [key, values] of places) {
    for (const missing of Object.values(values).flatMap((value) => missingIn(value, env))) {
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
    ...(organizations === undefined
      ? {}
      : { organizations: organizations.map((orgId) => ({ orgId: orgId.toLowerCase() })) }),
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
    ...(oauth === undefined ? {} : { oauth: toMcpOAuth(filledIn(oauth, env)) }),
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
