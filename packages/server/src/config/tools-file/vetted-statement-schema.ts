import { z } from "zod";
import { CATALOG_NOTE_LENGTH_MAX } from "../../catalog/limits.js";
import { isOfType, PARAMETER_TYPES, type VettedStatement } from "../../governance/index.js";
import { OWN_TOOL_NAMES } from "../../kernel/toolsets.js";
import { present } from "../../kernel/present.js";
import { AppError } from "@steward/kernel/errors.js";
import { argumentsTemplate, vettedStatement } from "../../plans/ports.js";
import type { DataSourceConfig } from "../config.js";
import { sqliteFile } from "../database-url.js";
import {
  entry,
  intent,
  limit,
  listOf,
  organizationId,
  text,
  type ToolsMistake,
  wordOf,
} from "./schema-parts.js";

const note = text("a text")
  .min(1, "must not be empty")
  .max(
    CATALOG_NOTE_LENGTH_MAX,
    `must not be longer than ${String(CATALOG_NOTE_LENGTH_MAX)} characters`,
  );

const value = z.json({ error: "must be a value that JSON can hold" });

const parameterSchema = entry({
  name: text("the name of a parameter").regex(
    /^[A-Za-z_]\w{0,63}$/,
    "must be a name of letters, digits and _, 64 at most, that does not begin with a digit",
  ),
  type: wordOf(PARAMETER_TYPES),
  description: note.exactOptional(),
  default: value.exactOptional(),
});

const testSchema = entry({
  arguments: z.record(z.string(), value, { error: "must map parameters to values" }).default({}),
  rows: listOf(value, "rows").exactOptional(),
  row_count: limit("rows", Number.MAX_SAFE_INTEGER).or(z.literal(0)).exactOptional(),
});

/** The keys of a tool with a statement of its own. */
export const vettedKeys = {
  description: note.exactOptional(),
  statement: text("a statement").min(1, "must be a statement").exactOptional(),
  intent: intent.exactOptional(),
  parameters: listOf(parameterSchema, "parameters").exactOptional(),
  organizations: listOf(organizationId, "organizations").exactOptional(),
  roles: listOf(text("a role").min(1, "must be a role"), "roles").exactOptional(),
  tests: listOf(testSchema, "tests").exactOptional(),
};

const vettedSchema = z.object(vettedKeys);
type VettedEntry = z.infer<typeof vettedSchema> & {
  readonly name: string;
  readonly data_source: string;
  readonly allowed_intents?: readonly string[];
};

/** Names that MCP clients accept, because the tool is offered to them under its own name. */
const MCP_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Mistakes in a tool's own statement that the schema does not detect. */
export function checkVetted(
  tool: VettedEntry,
  path: readonly [string, number],
  dataSources: readonly DataSourceConfig[],
): readonly ToolsMistake[] {
  const { name, statement, description, allowed_intents: allowed, parameters = [] } = tool;
  const mistakes: ToolsMistake[] = [];
  const mistake = (keys: readonly (string | number)[], reason: string): void => {
    mistakes.push({ path: [...path, ...keys], reason });
  };
  if (statement === undefined) {
    const keys = Object.keys(vettedKeys).filter((key) => key in tool);
    for (const key of keys) mistake([key], "needs a statement");
    return mistakes;
  }
  if (!MCP_NAME.test(name)) mistake(["name"], "must be letters, digits, _ and -, 64 at most");
  if (OWN_TOOL_NAMES.includes(name)) mistake(["name"], "is the name of one of Steward's own tools");
  if (description === undefined) mistake([], "needs a description");
  if (allowed !== undefined) mistake(["allowed_intents"], "needs no statement: set intent instead");
  for (const [index, { name: parameter, type, default: usual }] of parameters.entries()) {
    const first = parameters.findIndex((each) => each.name === parameter);
    const at = ["parameters", index];
    if (first < index) mistake([...at, "name"], `is the name of parameters[${String(first)}] too`);
    if (usual !== undefined && usual !== null && !isOfType(usual, type)) {
      mistake([...at, "default"], `must be of the type ${type}, or null`);
    }
  }
  const source = dataSources.find((each) => each.name === tool.data_source);
  if (source === undefined || mistakes.length > 0) return mistakes;
  const dialect = sqliteFile(source.url) === undefined ? "postgres" : "sqlite";
  try {
    const compile = vettedStatement({ statement, parameters }, dialect);
    for (const [index, test] of (tool.tests ?? []).entries()) {
      const reason = reasonOf(() => compile(argumentsTemplate(test.arguments)));
      if (reason !== undefined) mistake(["tests", index, "arguments"], reason);
    }
  } catch (error) {
    mistake(["statement"], AppError.from(error).message);
  }
  return mistakes;
}

/** The statement of a valid entry; `undefined` when it has none. */
export function toVetted(tool: VettedEntry): VettedStatement | undefined {
  const { statement, description = "", intent: declared = "read_select" } = tool;
  const { parameters = [], organizations, roles, tests = [] } = tool;
  if (statement === undefined) return undefined;
  return {
    ...{ statement, description, intent: declared, parameters },
    ...present({ organizations: organizations?.map((id) => id.toLowerCase()), roles }),
    tests: tests.map(({ arguments: given, rows, row_count: rowCount }) => ({
      arguments: given,
      ...present({ rows, rowCount }),
    })),
  };
}

function reasonOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return AppError.from(error).message;
  }
}
