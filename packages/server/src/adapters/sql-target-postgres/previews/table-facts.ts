import { PREVIEW_COLUMNS_MAX } from "../../limits.js";
import type { PreviewedTable } from "../../../plans/ports.js";
import type { Session } from "../session.js";

/** What the catalog tells about the table that a previewed statement changes. */
export interface TableFacts {
  /** In lower case, with its schema, as in `TouchedTable`. */
  readonly name: string;
  readonly isView: boolean;
  /** The columns to show. */
  readonly columns: readonly string[];
  /** The columns of the primary key, in its order; empty: there is none. */
  readonly key: readonly string[];
  /** Its partitions and inheritance children, and the tables that it is a part of. */
  readonly relatives: readonly string[];
  /** The version of the server, such as 180001. */
  readonly version: number;
}

const NAME = "lower(nspname || '.' || relname)";

const FACTS = `
WITH RECURSIVE below (oid) AS (
  SELECT inhrelid FROM pg_inherits WHERE inhparent = to_regclass($1)
  UNION SELECT inhrelid FROM pg_inherits JOIN below ON inhparent = below.oid
), above (oid) AS (
  SELECT inhparent FROM pg_inherits WHERE inhrelid = to_regclass($1)
  UNION SELECT inhparent FROM pg_inherits JOIN above ON inhrelid = above.oid
)
SELECT ${NAME} AS name, relkind = 'v' AS is_view,
  current_setting('server_version_num')::int AS version,
  (SELECT coalesce(jsonb_agg(attname ORDER BY attnum), '[]') FROM pg_attribute
   WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
     AND has_column_privilege(c.oid, attnum, 'SELECT')) AS columns,
  (SELECT coalesce(jsonb_agg(attname ORDER BY array_position(conkey, attnum)), '[]')
   FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
   WHERE conrelid = c.oid AND contype = 'p') AS key,
  (SELECT coalesce(jsonb_agg(${NAME}), '[]')
   FROM (SELECT oid FROM below UNION SELECT oid FROM above) AS relative
     JOIN pg_class r USING (oid) JOIN pg_namespace s ON s.oid = r.relnamespace) AS relatives
FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = to_regclass($1)`;

/**
 * @param table the table's name as a statement writes it.
 * @param shown the columns that may be shown, by table.
 */
export async function readTableFacts(
  session: Session,
  table: string,
  shown: readonly PreviewedTable[],
): Promise<TableFacts | undefined> {
  const [row] = await session.query(FACTS, [table]);
  if (row === undefined) return undefined;
  const name = String(row["name"]);
  const visible = new Set(shown.find((each) => each.name === name)?.columns);
  // The query builds lists of names.
  const listOf = (field: string): readonly string[] =>
    JSON.parse(String(row[field])) as readonly string[];
  return {
    name,
    isView: row["is_view"] === "t",
    columns: listOf("columns")
      .filter((column) => visible.has(column.toLowerCase()))
      .slice(0, PREVIEW_COLUMNS_MAX),
    key: listOf("key"),
    relatives: listOf("relatives"),
    version: Number(row["version"]),
  };
}
