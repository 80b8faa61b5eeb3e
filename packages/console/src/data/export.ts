/** Offers a text as a download. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download has been handed over when the click returns.
  URL.revokeObjectURL(url);
}

/** Rows as CSV (RFC 4180), with a line of names. */
export function csvOf<Column extends string>(
  columns: readonly Column[],
  rows: readonly { readonly [Name in Column]?: unknown }[],
): string {
  const lines = rows.map((row) => columns.map((column) => csvField(row[column])).join(","));
  return [columns.map(csvField).join(","), ...lines, ""].join("\r\n");
}

/**
 * Spreadsheets run a cell as a formula when it begins with one of these characters, of which some programs
 * also take the full-width forms. An agent may have written the cell: an apostrophe makes it a text. Numbers
 * stay numbers.
 */
function csvField(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
