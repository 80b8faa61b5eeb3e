import type { ColumnType, StatementResult } from "../plans/ports.js";

/**
 * What a marker keeps of an output, in the column that tables made by earlier versions have: the JSON
 * of the rows, after a line with the types of the columns where there are any.
 */
export function markerOutput({
  outputJson,
  columnTypes,
}: Pick<StatementResult, "outputJson" | "columnTypes">): string {
  if (columnTypes.length === 0) return outputJson;
  return `${JSON.stringify({ types: columnTypes })}\n${outputJson}`;
}

/** The other way around. */
export function outputOfMarker(text: string): Pick<StatementResult, "outputJson" | "columnTypes"> {
  if (!text.startsWith("{")) return { outputJson: text, columnTypes: [] };
  const lineEnd = text.indexOf("\n");
  // Written by `markerOutput`.
  const { types } = JSON.parse(text.slice(0, lineEnd)) as { types: readonly ColumnType[] };
  return { outputJson: text.slice(lineEnd + 1), columnTypes: types };
}
