import { BYTES_DELETED_MAX } from "../retention/limits.js";

/**
 * The first rows that together are small enough for one transaction, and at least one.
 * @param rows in the order in which they are to be deleted.
 */
export function deletedAtOnce<Row extends { readonly bytes: number }>(
  rows: readonly Row[],
): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row) => (bytes += row.bytes) > BYTES_DELETED_MAX);
  return end === -1 ? rows : rows.slice(0, Math.max(end, 1));
}
