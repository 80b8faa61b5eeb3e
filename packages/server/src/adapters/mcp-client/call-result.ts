import type { CallToolResult } from "@modelcontextprotocol/client";
import type { StatementResult } from "../../plans/ports.js";
import { OUTPUT_BYTES_MAX, RESULT_ROWS_MAX } from "../../plans/limits.js";
import { MCP_ERROR_LENGTH_MAX } from "../limits.js";

type Content = CallToolResult["content"][number];

/**
 * The rows of a tool's result: its structured content, else a row for each part of its content. A
 * link is a row of text; it is never opened.
 */
export function rowsOfResult({ structuredContent, content }: CallToolResult): StatementResult {
  const rows =
    structuredContent === undefined ? content.map(contentRow) : rowsIn(structuredContent);
  const texts: string[] = [];
  let bytes = 2;
  for (const row of rows.slice(0, RESULT_ROWS_MAX)) {
    const text = JSON.stringify(row);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > OUTPUT_BYTES_MAX) break;
    texts.push(text);
  }
  return {
    rowCount: rows.length,
    outputJson: `[${texts.join(",")}]`,
    rowsKept: texts.length,
    rowCountIsLowerBound: false,
    columnTypes: [],
    schemaDeltas: [],
    hints: linkHints(content),
  };
}

/** What a tool says of its own failure. */
export function errorText({ content }: CallToolResult): string {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return shortened(texts.join("\n").trim() || "no reason given");
}

/** A server's text for a message: of limited length, and without control characters. */
export function shortened(text: string): string {
  const plain = text.replace(/[^\P{C}\n\t]/gu, "");
  return plain.length > MCP_ERROR_LENGTH_MAX ? `${plain.slice(0, MCP_ERROR_LENGTH_MAX)}…` : plain;
}

function rowsIn(structured: unknown): readonly object[] {
  const values: readonly unknown[] = Array.isArray(structured) ? structured : [structured];
  return values.map((value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? value : { value },
  );
}

function contentRow(part: Content): object {
  switch (part.type) {
    case "text":
      return { type: part.type, text: part.text };
    case "image":
    case "audio":
      return { type: part.type, mime_type: part.mimeType, data: part.data };
    case "resource_link":
      return { type: part.type, uri: part.uri, name: part.name };
    case "resource": {
      const { uri, mimeType = null } = part.resource;
      const body =
        "text" in part.resource ? { text: part.resource.text } : { data: part.resource.blob };
      return { type: part.type, uri, mime_type: mimeType, ...body };
    }
  }
}

function linkHints(content: readonly Content[]): readonly string[] {
  const links = content.filter(({ type }) => type === "resource_link").length;
  if (links === 0) return [];
  return [
    `The output names ${String(links)} ${links === 1 ? "resource" : "resources"} by a link. Steward opens no links of other MCP servers.`,
  ];
}
