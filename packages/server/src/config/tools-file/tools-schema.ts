import { MCP_PREFIX } from "../../governance/index.js";
import { NAME_LENGTH_MAX } from "../../kernel/limits.js";
import { nearMiss } from "../../kernel/near-miss.js";
import { present } from "../../kernel/present.js";
import type { DataSourceConfig, ToolsConfig } from "../config.js";
import type { Environment } from "../env.js";
import {
  checkOrganizations,
  dataSourceSchema,
  notesOf,
  sourceOptions,
  type SourceOptions,
} from "./data-source-schema.js";
import { checkMcpServer, mcpServerSchema, toMcpServer } from "./mcp-server-schema.js";
import { entry, flag, intent, listOf, text, type ToolsMistake } from "./schema-parts.js";
import { checkVetted, toVetted, vettedKeys } from "./vetted-statement-schema.js";
import { checkWebhook, toWebhook, webhooksSchema } from "./webhook-schema.js";

/** The content of a tools file without mistakes. */
export interface ToolsContent {
  readonly tools: ToolsConfig;
  /** What the file says about data sources, by name. */
  readonly sources: ReadonlyMap<string, SourceOptions>;
}

/** The result of checking a tools file. */
type ToolsCheck =
  | { readonly ok: true; readonly content: ToolsContent }
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
  const { strict, tools, data_sources: sources, mcp_servers: servers, webhooks } = parsed.data;
  const names = dataSources.map((source) => source.name);
  const mistakes = [
    ...tools.flatMap((tool, index) => [
      ...checkName(tools, ["tools", index]),
      ...checkDataSource(tool.data_source, ["tools", index, "data_source"], names),
      ...checkVetted(tool, ["tools", index], dataSources),
    ]),
    ...sources.flatMap((source, index) => [
      ...checkName(sources, ["data_sources", index]),
      ...checkDataSource(source.name, ["data_sources", index, "name"], names),
      ...checkOrganizations(source, ["data_sources", index], dataSources),
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
  const notes = notesOf(sources);
  const listed = {
    strict,
    tools: tools.map((tool) => ({
      ...{ name: tool.name, dataSource: tool.data_source },
      ...present({ allowedIntents: tool.allowed_intents, vetted: toVetted(tool) }),
    })),
    // What is absent from the file is absent from the configuration.
    ...(servers.length === 0 ? {} : { mcpServers: servers.map((each) => toMcpServer(each, env)) }),
    ...(webhooks.length === 0 ? {} : { webhooks: webhooks.map((each) => toWebhook(each, env)) }),
    ...(notes.size === 0 ? {} : { notes }),
  };
  const options = sources.map((source) => [source.name, sourceOptions(source)] as const);
  return { ok: true, content: { tools: listed, sources: new Map(options) } };
}

const name = text("a name")
  .min(1, "must be a name")
  .max(NAME_LENGTH_MAX, `must not be longer than ${String(NAME_LENGTH_MAX)} characters`);

const toolSchema = entry({
  name: name.refine((given) => !given.startsWith(MCP_PREFIX), {
    error: `must not begin with ${MCP_PREFIX}: list the tools of MCP servers under mcp_servers`,
  }),
  data_source: name,
  allowed_intents: listOf(intent, "intents")
    .min(1, "must name an intent, or be left out: then all are allowed")
    .exactOptional(),
  ...vettedKeys,
});

const fileSchema = entry({
  strict: flag.default(false),
  tools: listOf(toolSchema, "tools").default([]),
  data_sources: listOf(dataSourceSchema, "data sources").default([]),
  mcp_servers: listOf(mcpServerSchema, "MCP servers").default([]),
  webhooks: webhooksSchema.default([]),
});

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
