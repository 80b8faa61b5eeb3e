import type { Dialect } from "../governance/index.js";
import type { CatalogColumn, CatalogTable } from "./catalog-table.js";
import type { JoinPath } from "./join-paths.js";
import type { CatalogRow, Metric } from "./ports.js";
import { countTokens } from "./token-count.js";
import type { RowEstimate, TableProfile } from "./table-profile.js";

/** A part of a description that can be left out. */
export type DescriptionPart =
  | "description"
  | "columns"
  | "metrics"
  | "column_descriptions"
  | "keys"
  | "values"
  | "join_paths"
  | "sample_rows"
  | "questions"
  | "statements";

/** A table's description for an LLM. */
export interface TableDescription {
  readonly text: string;
  /** Tokens of `text` as {@link countTokens} counts them. */
  readonly tokens: number;
  /** Parts that did not fit, wholly or partly. */
  readonly leftOut: readonly DescriptionPart[];
}

/** Input of a description. It contains only what the caller may read. */
export interface DescribedTable {
  readonly dataSource: string;
  readonly dialect: Dialect;
  readonly table: CatalogTable;
  /** Absent: the rows could not be read. */
  readonly profile?: TableProfile;
  readonly joinPaths: readonly JoinPath[];
  /** Earlier successful statements about the table. */
  readonly statements: readonly string[];
}

/** Lines of one part, the most useful part first. */
interface Section {
  readonly part: DescriptionPart;
  /** Heading of the lines; absent: they need none. */
  readonly heading?: string;
  readonly lines: readonly string[];
}

/**
 * Describes a table within a budget of tokens. Parts are added line by line, as long as they fit, the
 * most useful ones for writing a query first. The last line names the parts that did not fit.
 */
export function describeWithin(described: DescribedTable, budget: number): TableDescription {
  const sections = sectionsOf(described);
  const whole = written(headOf(described), sections, []);
  const wholeTokens = countTokens(whole);
  if (wholeTokens <= budget) return { text: whole, tokens: wholeTokens, leftOut: [] };
  return fitted(described, sections, budget);
}

function fitted(
  described: DescribedTable,
  sections: readonly Section[],
  budget: number,
): TableDescription {
  const every = sections.map(({ part }) => part);
  // Room for the longest last line is reserved before anything else is added.
  const reserved = countTokens(`${leftOutLine(every)}\n`);
  const head = headOf(described);
  const leftOut: DescriptionPart[] = [];
  const kept: Section[] = [];
  let left = budget - reserved - countTokens(`${head}\n`);
  for (const section of sections) {
    const headingTokens = section.heading === undefined ? 0 : countTokens(`${section.heading}\n`);
    const lines: string[] = [];
    let sectionLeft = left - headingTokens;
    for (const line of section.lines) {
      const tokens = countTokens(`${line}\n`);
      if (tokens > sectionLeft) break;
      lines.push(line);
      sectionLeft -= tokens;
    }
    if (lines.length < section.lines.length) leftOut.push(section.part);
    if (lines.length === 0) continue;
    kept.push({ ...section, lines });
    left = sectionLeft;
  }
  const text = written(head, kept, leftOut);
  const tokens = countTokens(text);
  if (tokens <= budget) return { text, tokens, leftOut };
  // Not even the heading fits.
  return { text: "", tokens: 0, leftOut: every };
}

function written(
  head: string,
  sections: readonly Section[],
  leftOut: readonly DescriptionPart[],
): string {
  const lines = sections.flatMap(({ heading, lines: own }) =>
    heading === undefined ? own : [heading, ...own],
  );
  return [head, ...lines, ...(leftOut.length === 0 ? [] : [leftOutLine(leftOut)])].join("\n");
}

function leftOutLine(parts: readonly DescriptionPart[]): string {
  return `Left out for the token budget: ${parts.join(", ")}`;
}

function headOf({ dataSource, dialect, table, profile }: DescribedTable): string {
  const rows = profile?.estimate === undefined ? "" : `, ${rowsText(profile.estimate)}`;
  return `${table.kind} ${table.name} in ${dataSource} (${dialect})${rows}`;
}

function rowsText({ rows, kind }: RowEstimate): string {
  const count = `${String(rows)} ${rows === 1 ? "row" : "rows"}`;
  if (kind === "exact") return count;
  return kind === "about" ? `about ${count}` : `more than ${count}`;
}

function sectionsOf(described: DescribedTable): readonly Section[] {
  const { table, profile, joinPaths, statements } = described;
  const sections: readonly Section[] = [
    {
      part: "columns",
      heading: "Columns:",
      lines: table.columns.map((each) => columnLine(each, rangeText(described, each.name))),
    },
    { part: "description", lines: table.description === undefined ? [] : [table.description] },
    { part: "metrics", heading: "Metrics:", lines: (table.metrics ?? []).map(metricLine) },
    { part: "keys", lines: keyLines(table) },
    { part: "values", heading: "Values:", lines: valueLines(table, profile) },
    {
      part: "column_descriptions",
      heading: "About the columns:",
      lines: table.columns.flatMap(({ name, description }) =>
        description === undefined ? [] : [`- ${name}: ${oneLine(description)}`],
      ),
    },
    { part: "join_paths", heading: "Joins:", lines: joinPaths.map(joinLine) },
    {
      part: "sample_rows",
      heading: "Sample rows:",
      lines: (profile?.sampleRows ?? []).map((row) => JSON.stringify(valuesOf(row, table))),
    },
    {
      part: "questions",
      heading: "Questions that it answers:",
      lines: table.questions.map((question) => `- ${oneLine(question)}`),
    },
    {
      part: "statements",
      heading: "Earlier statements:",
      lines: statements.map((statement) => `- ${oneLine(statement)}`),
    },
  ];
  return sections.filter(({ lines }) => lines.length > 0);
}

function metricLine({ name, expression, dimensions, description }: Metric): string {
  const by = dimensions.length === 0 ? "" : ` by ${dimensions.join(", ")}`;
  const meaning = description === undefined ? "" : `: ${description}`;
  return `- ${oneLine(`${name} = ${expression}${by}${meaning}`)}`;
}

function columnLine({ name, type, isNotNull }: CatalogColumn, range: string): string {
  const parts = [`- ${name}`, ...(type === "" ? [] : [type]), ...(isNotNull ? ["not null"] : [])];
  return `${parts.join(" ")}${range}`;
}

/** The range of a column. That of a key says nothing, and a column with few values has them listed. */
function rangeText({ table, profile }: DescribedTable, name: string): string {
  const range = profile?.ranges.get(name);
  if (range === undefined || keysOf(table).has(name) || profile?.values.has(name) === true)
    return "";
  const isPart = profile?.estimate?.kind === "exact" ? "" : " in the rows that were read";
  return `, ${range.least} to ${range.greatest}${isPart}`;
}

/** The values of a row in the order of the columns, as far as they were read. */
function valuesOf(row: CatalogRow, { columns }: CatalogTable): readonly unknown[] {
  return columns.filter(({ name }) => name in row).map(({ name }) => row[name]);
}

function keysOf({ primaryKey, foreignKeys }: CatalogTable): ReadonlySet<string> {
  return new Set([primaryKey, ...foreignKeys.map((key) => key.columns)].flat());
}

function keyLines({ primaryKey, uniqueKeys, foreignKeys }: CatalogTable): readonly string[] {
  const primary = primaryKey.length === 0 ? [] : [`Primary key: ${primaryKey.join(", ")}`];
  const unique = uniqueKeys.map((columns) => `Unique: ${columns.join(", ")}`);
  const foreign = foreignKeys.map(
    ({ columns, target, targetColumns }) =>
      `Foreign key: ${columns.join(", ")} references ${target}(${targetColumns.join(", ")})`,
  );
  return [...primary, ...unique, ...foreign];
}

function valueLines(table: CatalogTable, profile: TableProfile | undefined): readonly string[] {
  // The numbers of rows of other tables say nothing.
  const keys = keysOf(table);
  return table.columns.flatMap(({ name, enumValues }) => {
    if (keys.has(name)) return [];
    const seen = profile?.values.get(name);
    const values = enumValues ?? seen;
    if (values === undefined) return [];
    const isAll = enumValues !== undefined || profile?.isComplete === true;
    return [`- ${name}: ${values.join(" | ")}${isAll ? "" : " (in the rows that were read)"}`];
  });
}

function joinLine({ to, steps }: JoinPath): string {
  return `- ${to}: ${steps.map((step) => `JOIN ${step.to} ON ${step.condition}`).join(" ")}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
