import { z } from "zod";
import { INTENTS, MCP_PREFIX } from "../governance/index.js";
import { NAME_LENGTH_MAX } from "../kernel/limits.js";
import { nearMiss } from "../kernel/near-miss.js";
import type { DataSourceConfig, ToolConfig, ToolsConfig } from "./config.js";
import {
  type BoundOrganizations,
  boundOrganizations,
  checkOrganizations,
  dataSourceSchema,
  sessionLimits,
  unpreviewed,
} from "./data-source-schema.js";
import type { Environment } from "./env.js";
import { checkMcpServer, mcpServerSchema, toMcpServer } from "./mcp-servers/mcp-server-schema.js";
import { notesOf } from "./notes-schema.js";
import { unknownKey } from "./unknown-key.js";
import { checkWebhook, toWebhook, webhooksSchema } from "./webhook-schema.js";

/** A mistake in the tools file and its position. */
export interface ToolsMistake {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/** The result of checking a tools file. */
export type ToolsCheck =
  | {
      readonly ok: true;
      readonly tools: ToolsConfig;
      readonly bound: BoundOrganizations;
      readonly sessions: ReadonlyMap<string, number>;
      readonly unpreviewed: ReadonlySet<string>;
    }
  | { readonly ok: false; readonly mistakes: readonly ToolsMistake[] };

/**
 * Checks the parsed content of a tools file, and reports all mistakes at once.
 * @param env values for the headers and variables of MCP servers.
 */
export function checkTools(
  content: unknown,
  dataSources: readonly DataSourceConfig[],
  env: Environment,
): ToolsCheck {
  const parsed = fileSchema.safeParse(content);
  if (!parsed.success) {
    const mistakes = parsed.error.issues.map(({ path, message }) => ({
      path: path.filter((key) => typeof key !== "symbol"),
      reason: message,
    }));
    return { ok: false, mistakes };
  }
  const { strict, tools, data_sources: bindings, mcp_servers: servers, webhooks } = parsed.data;
  const names = dataSources.map((source) => source.name);
  const mistakes = [
    ...tools.flatMap((tool, index) => [
      ...checkName(tools, ["tools", index]),
      ...checkDataSource(tool.data_source, ["tools", index, "data_source"], names),
    ]),
    ...bindings.flatMap((binding, index) => [
      ...checkName(bindings, ["data_sources", index]),
      ...checkDataSource(binding.name, ["data_sources", index, "name"], names),
      ...checkOrganizations(binding, ["data_sources", index], dataSources),
    ]),
    ...servers.flatMap((server, index) => [
      ...checkName(servers, ["mcp_servers", index]),
      ...checkMcpServer(server, ["mcp_servers", index], env),
    ]),
    ...webhooks.flatMap((webhook, index) => [
      ...checkName(webhooks, ["webhooks", index]),
      ...checkWebhook(webhook, ["webhooks", index], env),
    ]),
  ];
  if (mistakes.length > 0) return { ok: false, mistakes };
  return {
    ok: true,
    tools: {
      strict,
      tools: tools.map(toToolConfig),
      ...(servers.length === 0
        ? {}
        : { mcpServers: servers.map((server) => toMcpServer(server, env)) }),
      ...(webhooks.length === 0
        ? {}
        : { webhooks: webhooks.map((webhook) => toWebhook(webhook, env)) }),
      ...present(notesOf(bindings)),
    },
    bound: boundOrganizations(bindings),
    sessions: sessionLimits(bindings),
    unpreviewed: unpreviewed(bindings),
  };
}

/** Notes that are not empty; absent when there are none, or no tools file. */
function present(notes: NonNullable<ToolsConfig["notes"]>): Pick<ToolsConfig, "notes"> {
  return notes.size === 0 ? {} : { notes };
}

const intent = z.enum(INTENTS, { error: `must be one of ${INTENTS.join(", ")}` });
const flag = z.boolean({ error: "must be true or false" });
const name = z
  .string({ error: "must be a name" })
  .min(1, "must be a name")
  .max(NAME_LENGTH_MAX, `must not be longer than ${String(NAME_LENGTH_MAX)} characters`);

const toolSchema = z.strictObject(
  {
    name: name.refine((text) => !text.startsWith(MCP_PREFIX), {
      error: `must not begin with ${MCP_PREFIX}: list the tools of MCP servers under mcp_servers`,
    }),
    data_source: name,
    allowed_intents: z
      .array(intent, { error: "must be a list of intents" })
      .min(1, "must name an intent, or be left out: then all are allowed")
      .optional(),
  },
  { error: unknownKey(["name", "data_source", "allowed_intents"]) },
);

const fileSchema = z.strictObject(
  {
    strict: flag.default(false),
    tools: z.array(toolSchema, { error: "must be a list of tools" }).default([]),
    data_sources: z
      .array(dataSourceSchema, { error: "must be a list of data sources" })
      .default([]),
    mcp_servers: z.array(mcpServerSchema, { error: "must be a list of MCP servers" }).default([]),
    webhooks: webhooksSchema.default([]),
  },
  { error: unknownKey(["strict", "tools", "data_sources", "mcp_servers", "webhooks"]) },
);

type Tool = z.infer<typeof toolSchema>;

function checkName(
  listed: readonly { readonly name: string }[],
  [list, index]: readonly [string, number],
): readonly ToolsMistake[] {
  const first = listed.findIndex(({ name }) => name === listed[index]?.name);
  if (first === index) return [];
  return [{ path: [list, index, "name"], reason: `is the name of ${list}[${String(first)}] too` }];
}

function checkDataSource(
  name: string,
  path: ToolsMistake["path"],
  dataSources: readonly string[],
): readonly ToolsMistake[] {
  if (dataSources.includes(name)) return [];
  const meant = nearMiss(name, dataSources);
  const known =
    dataSources.length === 0 ? "none is configured" : `there are ${dataSources.join(", ")}`;
  const hint = meant === undefined ? known : `did you mean ${meant}?`;
  return [{ path, reason: `"${name}" is not a data source; ${hint}` }];
}

function toToolConfig(tool: Tool): ToolConfig {
  return {
    name: tool.name,
    dataSource: tool.data_source,
    ...(tool.allowed_intents === undefined ? {} : { allowedIntents: tool.allowed_intents }),
  };
}
