import type pg from "pg";

/** The current state of an index that is built outside a transaction. */
export interface IndexUnderWay {
  /** In the format of an introspected schema. */
  readonly nativeId: string;
  readonly isValid: boolean;
}

/**
 * @param index qualified and quoted.
 * @returns undefined when no relation has this name.
 */
export async function findIndex(
  client: pg.Client,
  index: string,
): Promise<IndexUnderWay | undefined> {
  const { rows } = await client.query<{ oid: string; isvalid: boolean | null }>(
    `SELECT c.oid::text, i.indisvalid AS isvalid FROM pg_class c
     LEFT JOIN pg_index i ON i.indexrelid = c.oid WHERE c.oid = to_regclass($1)`,
    [index],
  );
  const [row] = rows;
  return row === undefined ? undefined : { nativeId: `r:${row.oid}`, isValid: row.isvalid ?? true };
}
