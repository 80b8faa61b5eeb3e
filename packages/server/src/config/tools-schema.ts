import { z } from "zod";
import { INTENTS } from "../governance/index.js";
import type { Intent } from "../governance/index.js";
import { NAME_LENGTH_MAX } from "../kernel/limits.js";
import { nearMiss } from "../kernel/near-miss.js";
import type { DataSourceConfig, ToolConfig, ToolsConfig } from "./config.js";
import {
  type BoundOrganizations,
  boundOrganizations,
  checkOrganizations,
  dataSourceSchema,
  sessionLimits,
} from "./data-source-schema.js";
import { notesOf } from "./notes-schema.js";
import { unknownKey } from "./unknown-key.js";

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
    }
  | { readonly ok: false; readonly mistakes: readonly ToolsMistake[] };

/** Checks the parsed content of a tools file, and reports all mistakes at once. */
export function checkTools(content: unknown, dataSources: readonly DataSourceConfig[]): ToolsCheck {
  const parsed = fileSchema.safeParse(content);
  if (!parsed.success) {
    const mistakes = parsed.error.issues.map(({ path, message }) => ({
      path: path.filter((key) => typeof key !== "symbol"),
      reason: message,
    }));
    return { ok: false, mistakes };
  }
  const { strict, tools, data_sources: bindings } = parsed.data;
  const names = dataSources.map((source) => source.name);
  const mistakes = [
    ...tools.flatMap((tool, index) => [
      ...checkName(tools, ["tools", index]),
      ...checkDataSource(tool.data_source, ["tools", index, "data_source"], names),
      ...checkIntents(tool, index),
    ]),
    ...bindings.flatMap((binding, index) => [
      ...checkName(bindings, ["data_sources", index]),
      ...checkDataSource(binding.name, ["data_sources", index, "name"], names),
      ...checkOrganizations(binding, ["data_sources", index], dataSources),
    ]),
  ];
  if (mistakes.length > 0) return { ok: false, mistakes };
  return {
    ok: true,
    tools: { strict, tools: tools.map(toToolConfig), ...present(notesOf(bindings)) },
    bound: boundOrganizations(bindings),
    sessions: sessionLimits(bindings),
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
    name,
    data_source: name,
    allowed_intents: z
      .array(intent, { error: "must be a list of intents" })
      .min(1, "must name an intent, or be left out: then all are allowed")
      .optional(),
    annotations: z
      .strictObject(
        { intent: intent.optional(), read_only: flag.optional(), destructive: flag.optional() },
        { error: unknownKey(["intent", "read_only", "destructive"]) },
      )
      .optional(),
  },
  { error: unknownKey(["name", "data_source", "allowed_intents", "annotations"]) },
);

const fileSchema = z.strictObject(
  {
    strict: flag.default(false),
    tools: z.array(toolSchema, { error: "must be a list of tools" }).default([]),
    data_sources: z
      .array(dataSourceSchema, { error: "must be a list of data sources" })
      .default([]),
  },
  { error: unknownKey(["strict", "tools", "data_sources"]) },
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

function checkIntents(tool: Tool, index: number): readonly ToolsMistake[] {
  const path = ["tools", index, "annotations"];
  const { intent: stated, read_only: readOnly, destructive } = tool.annotations ?? {};
  const hinted = hintedIntent(readOnly, destructive);
  if (readOnly === true && destructive === true) {
    return [{ path, reason: "a tool that is read_only cannot be destructive" }];
  }
  if (stated !== undefined && hinted !== undefined && stated !== hinted) {
    return [{ path, reason: `intent ${stated} contradicts read_only or destructive` }];
  }
  const annotated = stated ?? hinted;
  if (annotated !== undefined && tool.allowed_intents?.includes(annotated) === false) {
    return [{ path, reason: `${annotated} is not among the allowed_intents` }];
  }
  return [];
}

function toToolConfig(tool: Tool): ToolConfig {
  const { intent: stated, read_only: readOnly, destructive } = tool.annotations ?? {};
  const annotatedIntent = stated ?? hintedIntent(readOnly, destructive);
  return {
    name: tool.name,
    dataSource: tool.data_source,
    ...(tool.allowed_intents === undefined ? {} : { allowedIntents: tool.allowed_intents }),
    ...(annotatedIntent === undefined ? {} : { annotatedIntent }),
  };
}

/** The intent that corresponds to MCP's readOnlyHint and destructiveHint. */
function hintedIntent(
  readOnly: boolean | undefined,
  destructive: boolean | undefined,
): Intent | undefined {
  if (readOnly === true) return "read_select";
  return destructive === true ? "write_delete" : undefined;
}
