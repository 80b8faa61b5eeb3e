import { nameOf, type PostgresSchema } from "../../model/schema.js";
import { qualified, quoteName } from "./names.js";
import { grantSequence } from "./rights.js";

/** Longest name in PostgreSQL, in bytes. */
const NAME_BYTES_MAX = 63;
const SUFFIX = "_seq";

/**
 * Grants on the sequences of new identity columns, by the names that PostgreSQL generates for these
 * sequences.
 */
export function sequenceRights(schema: PostgresSchema): readonly string[] {
  return schema.all("Column").flatMap((column) => {
    if ((column.values.sequenceGrants ?? []).length === 0) return [];
    const table = schema.above(column);
    const name = quoteName(sequenceName(nameOf(table), column.name));
    const place = qualified(schema, table).slice(0, -quoteName(nameOf(table)).length);
    return grantSequence(table, column, `${place}${name}`);
  });
}

/**
 * The name that PostgreSQL generates from the names of a table and a column. When the result is too
 * long, the longer of the two is truncated first.
 */
function sequenceName(table: string, column: string): string {
  let [ofTable, ofColumn] = [Buffer.byteLength(table), Buffer.byteLength(column)];
  while (ofTable + 1 + ofColumn + SUFFIX.length > NAME_BYTES_MAX) {
    if (ofTable > ofColumn) ofTable -= 1;
    else ofColumn -= 1;
  }
  return `${cut(table, ofTable)}_${cut(column, ofColumn)}${SUFFIX}`;
}

/** Truncates a text to a number of bytes without splitting a character. */
function cut(name: string, bytes: number): string {
  let fitting = "";
  for (const character of name) {
    if (Buffer.byteLength(fitting + character) > bytes) break;
    fitting += character;
  }
  return fitting;
}
