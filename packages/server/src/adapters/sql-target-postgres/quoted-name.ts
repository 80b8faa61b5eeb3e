/**
 * A qualified name in SQL.
 * @param parts for example schema and table.
 */
export function quotedName(parts: readonly string[]): string {
  return parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(".");
}
