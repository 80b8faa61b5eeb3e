/** A name as it is written in SQL. @param parts such as schema and table. */
export function quotedName(parts: readonly string[]): string {
  return parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(".");
}
