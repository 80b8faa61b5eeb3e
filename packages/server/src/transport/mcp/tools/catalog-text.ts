import type { CatalogMatch } from "@steward/operations";
import type { CatalogAnswer } from "./catalog-tools.js";

/** What was found, as an LLM reads it: a line for each database, tool and table, and the texts of descriptions. */
export function catalogText(answer: CatalogAnswer): string {
  const { data_sources, default_data_source, tools, budgets = [], found, descriptions } = answer;
  const parts = [
    ...(data_sources === undefined ? [] : [sourcesText(data_sources, default_data_source)]),
    ...budgets,
    ...(tools === undefined ? [] : [listText(tools.map(toolText), "There are no listed tools.")]),
    ...(found === undefined ? [] : [listText(found.map(matchText), "No table matches.")]),
    ...(descriptions ?? []).map(({ text }) => text),
  ];
  return parts.join("\n\n");
}

function sourcesText(
  sources: NonNullable<CatalogAnswer["data_sources"]>,
  preset: string | undefined,
): string {
  const lines = sources.map(({ name, dialect, description }) => {
    const isDefault = name === preset ? ", default" : "";
    return `${name} (${dialect}${isDefault})${about(description)}`;
  });
  return listText(lines, "There is no database that you may use.");
}

function toolText({ name, data_source, description, input_schema }: Tool): string {
  const schema = input_schema === undefined ? "" : ` Arguments: ${JSON.stringify(input_schema)}`;
  return `${name} on ${data_source}${about(description)}${schema}`;
}

type Tool = NonNullable<CatalogAnswer["tools"]>[number];

function matchText({
  table,
  data_source,
  description,
  columns,
  earlier_statement: statement,
}: CatalogMatch): string {
  const named = columns.map(({ name, type }) => `${name} ${type}`.trim()).join(", ");
  const columnsText = named === "" ? "" : ` (${named})`;
  return `${table} in ${data_source}${columnsText}${about(description)}${about(statement)}`;
}

function about(text: unknown): string {
  return typeof text === "string" ? `: ${text.replaceAll(/\s+/g, " ").trim()}` : "";
}

function listText(lines: readonly string[], none: string): string {
  return lines.length === 0 ? none : lines.join("\n");
}
