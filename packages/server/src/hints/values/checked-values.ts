import type { Relation } from "@steward/schema";
import { columnNamed } from "../schema/known-tables.js";

/**
 * The only values that a column may have, as its enum type or a CHECK lists them; undefined when the
 * schema does not tell.
 */
export function checkedValues(table: Relation, name: string): readonly string[] | undefined {
  const column = columnNamed(table, name);
  if (column?.enumValues !== undefined) return column.enumValues;
  for (const check of table.checks) {
    const values = listedIn(check, name);
    if (values !== undefined) return values;
  }
  return undefined;
}

/**
 * The list of `status IN ('open', 'paid')`, which PostgreSQL stores as
 * `status = ANY (ARRAY['open'::text, 'paid'::text])`. A longer condition lists nothing for certain.
 */
function listedIn(check: string, name: string): readonly string[] | undefined {
  const column = `\\(*"?${name.replaceAll(/\W/g, "\\$&")}"?\\)*(?:::[\\w ]+)?\\)*`;
  const pattern = new RegExp(
    `^\\(*${column}\\s*(?:in\\s*\\(|=\\s*any\\s*\\(+array\\s*\\[)((?:[^']|'(?:[^']|'')*')*)$`,
    "i",
  );
  const list = pattern.exec(check.replace(/^check\s*/i, ""))?.[1];
  if (list === undefined || /\b(?:and|or)\b/i.test(list.replaceAll(/'(?:[^']|'')*'/g, ""))) {
    return undefined;
  }
  const values = [...list.matchAll(/'((?:[^']|'')*)'/g)].map(([, text = ""]) =>
    text.replaceAll("''", "'"),
  );
  return values.length === 0 ? undefined : values;
}
