/** Functions of SQLite and other engines that agents write out of habit, and what PostgreSQL has instead. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["datetime", "now() or to_char(value, format)"],
  ["getdate", "now()"],
  ["group_concat", "string_agg(value, separator)"],
  ["ifnull", "coalesce(a, b)"],
  ["instr", "strpos(text, part)"],
  ["json_extract", "value ->> 'key'"],
  ["julianday", "extract(epoch FROM value)"],
  ["nvl", "coalesce(a, b)"],
  ["printf", "format(text, …)"],
  ["strftime", "to_char(value, format) or extract(field FROM value)"],
]);

/**
 * What to write in place of a function that PostgreSQL does not have.
 * @returns `undefined` for any other name: it may be one that somebody made for this database.
 */
export function insteadOf(name: readonly string[]): string | undefined {
  return name.length === 1 ? INSTEAD.get(name[0]?.toLowerCase() ?? "") : undefined;
}
