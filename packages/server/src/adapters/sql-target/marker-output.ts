import type { ColumnType, StatementResult } from "../../plans/ports.js";

/**
 * The stored form of an output in a marker: the JSON of the rows, preceded by a line with the
 * columns' types if there are any. It fits the column that earlier versions created.
 */
export function markerOutput({
  outputJson,
  columnTypes,
}: Pick<StatementResult, "outputJson" | "columnTypes">): string {
  if (columnTypes.length === 0) return outputJson;
  return `${JSON.stringify({ types: columnTypes })}\n${outputJson}`;
}

/** Parses the stored form. */
export function outputOfMarker(text: string): Pick<StatementResult, "outputJson" | "columnTypes"> {
  if (!text.startsWith("{")) return { outputJson: text, columnTypes: [] };
  const lineEnd = text.indexOf("\n");
  // Written by `markerOutput`.
  const { types } = JSON.parse(text.slice(0, lineEnd)) as { types: readonly ColumnType[] };
  return { outputJson: text.slice(lineEnd + 1), columnTypes: types };
}
