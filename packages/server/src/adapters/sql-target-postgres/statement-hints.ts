import { DatabaseError } from "pg";
import {
  ambiguousColumnHints,
  foreignKeyHints,
  missingColumnHint,
  missingTableHint,
  missingValueHint,
  type NameCatalog,
  operatorTypesHint,
  ungroupedColumnHint,
} from "../sql-target/repair-hints.js";
import { nameAt, placeIn, type WrittenName } from "../../kernel/name-at.js";
import { nearMiss } from "../../kernel/near-miss.js";
import { writtenName, writtenPath } from "../../kernel/written-name.js";
import { quotedName } from "./quoted-name.js";
import type { Session } from "./session.js";

/** Limit of tables, and of columns, that are searched for similar names. */
const NAMES_MAX = 5_000;

/** SQLSTATEs of constraint violations, whose errors name the table. */
const VIOLATED: Readonly<Record<string, string>> = {
  "23502": "a not-null constraint",
  "23503": "a foreign key",
  "23505": "a unique constraint",
  "23514": "a check constraint",
  "23P01": "an exclusion constraint",
};
const ACCESS_DENIED = "42501";

/**
 * Replaces the server's message when it names an object that the statement does not name and that
 * the role may not read, such as the table of a foreign key, or one behind a view or a trigger.
 * @param session in a separate transaction with the statement's privileges.
 * @param tables tables named in the statement.
 */
export async function messageWithoutHiddenNames(
  error: unknown,
  tables: readonly string[],
  session: Session,
): Promise<string | undefined> {
  if (!(error instanceof DatabaseError)) return undefined;
  const { code = "", message, schema = "", table } = error;
  const isNamed = (name: string): boolean => tables.some((known) => lastPart(known) === name);
  if (code === ACCESS_DENIED) {
    const written = new Set(tables.flatMap((known) => known.split(".")));
    const isWritten = [...written].some((name) => namesObject(message, name));
    return isWritten ? undefined : "permission denied for an object that the statement depends on";
  }
  const violated = VIOLATED[code];
  if (violated === undefined || table === undefined || isNamed(table)) return undefined;
  const readable = await session.query(
    `SELECT FROM (${READABLE}) AS readable WHERE nspname = $1 AND relname = $2`,
    [schema, table],
  );
  if (readable.length > 0) return undefined;
  return `the statement violates ${violated} of a table that this role may not read`;
}

/**
 * Hints for repairing a failed statement. They only name objects that the role may read. Messages are in the language of
 * the server, so that the place of the error tells what the server refuses.
 * @param message the server's message, or its replacement.
 * @param session in a separate transaction with the statement's privileges.
 */
export async function hintsFor(
  error: unknown,
  message: string,
  { sql, tables }: FailedText,
  session: Session,
): Promise<readonly string[]> {
  if (!(error instanceof DatabaseError)) return [];
  const read = async (): Promise<NameCatalog> => readCatalog(tables, session);
  const at = placeIn(sql, error);
  const name = nameAt(sql, at);
  const isTable = tables.includes(name?.path.join(".") ?? "");
  switch (error.code) {
    case "42P01": {
      const table = isTable || name === undefined ? name?.path : name.path.slice(0, -1);
      const wanted = table?.join(".") ?? (tables.length === 1 ? tables[0] : undefined);
      return wanted === undefined ? [] : [missingTableHint(message, wanted, await read())];
    }
    case "42703": {
      const column = name?.path.at(-1);
      return column === undefined ? [] : [missingColumnHint(message, column, tables, await read())];
    }
    case "42702": {
      const column = name?.path.at(-1);
      return column === undefined
        ? []
        : ambiguousColumnHints(message, column, tables, await read());
    }
    case "42803":
      return name === undefined || /^\s*\(/.test(sql.slice((at ?? 0) + name.text.length))
        ? []
        : [ungroupedColumnHint(message, name.text)];
    case "42883": {
      const operator = /^[-+*/<>=~!@#%^&|`?]+/.exec(sql.slice(at))?.[0];
      if (at !== undefined && operator !== undefined) return [operatorTypesHint(message, operator)];
      return name === undefined ? [] : functionHints(message, name, session);
    }
    case "23502":
      return error.column === undefined
        ? []
        : [missingValueHint(message, writtenName(error.column, "postgres"))];
    case "23503":
      return foreignKeyHints(message, tables, await read());
    default:
      return [];
  }
}

/** The function that was meant by a name that no function has. */
async function functionHints(
  message: string,
  { path }: WrittenName,
  session: Session,
): Promise<readonly string[]> {
  const wanted = path.at(-1) ?? "";
  const rows = await session.query(CALLABLE, []);
  const names = rows.map((row) => String(row["name"]));
  const meant = names.includes(wanted) ? undefined : nearMiss(wanted, names);
  return meant === undefined ? [] : [`${message}; did you mean ${writtenName(meant, "postgres")}?`];
}

/** The functions that the role may call without naming their schemas. */
const CALLABLE = `
  SELECT DISTINCT proname AS name FROM pg_proc
  WHERE prokind IN ('f', 'a', 'w') AND pg_function_is_visible(oid) AND has_function_privilege(oid, 'EXECUTE')
  ORDER BY name LIMIT ${NAMES_MAX}`;

/** A failed statement, and the tables that it names. */
export interface FailedText {
  readonly sql: string;
  readonly tables: readonly string[];
}

/** Whether a message, in any language, is about the object of this name, not about one with a longer name. */
function namesObject(message: string, name: string): boolean {
  const isWord = /^[\p{L}\p{N}_$]+$/u.test(name);
  return isWord ? message.split(/[^\p{L}\p{N}_$]+/u).includes(name) : message.endsWith(name);
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

/**
 * Tables and views with at least one column that the role may read. Other objects are never named.
 */
const READABLE = `
  SELECT c.oid, nspname, relname, CASE WHEN is_visible THEN relname ELSE nspname || '.' || relname END AS name,
    CASE WHEN is_visible THEN '' ELSE quote_ident(nspname) || '.' END || quote_ident(relname) AS written, is_visible
  FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace, LATERAL pg_table_is_visible(c.oid) AS is_visible
  WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND nspname !~ '^pg_' AND nspname <> 'information_schema'
    AND relname !~ '^_steward_'
    AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')`;

/**
 * The readable relations among those in the first parameter: schema and table, or a table on the
 * search path.
 */
const TOUCHED = `
  SELECT r.*, touched FROM unnest($1::text[]) AS touched, LATERAL parse_ident(touched) AS part, readable r
  WHERE relname = part[cardinality(part)]
    AND CASE WHEN cardinality(part) = 1 THEN is_visible ELSE nspname = part[cardinality(part) - 1] END`;

async function readCatalog(tables: readonly string[], session: Session): Promise<NameCatalog> {
  const names = await session.query(
    `${READABLE} ORDER BY is_visible DESC, name LIMIT ${NAMES_MAX}`,
    [],
  );
  const columns = await session.query(
    `WITH readable AS (${READABLE}), touched AS (${TOUCHED})
     SELECT touched AS table, attname AS name FROM touched JOIN pg_attribute ON attrelid = oid
     WHERE attnum > 0 AND NOT attisdropped AND has_column_privilege(oid, attnum, 'SELECT')
     ORDER BY touched, attnum LIMIT ${NAMES_MAX}`,
    [quotedNames(tables)],
  );
  const keys = await session.query(
    `WITH readable AS (${READABLE}), touched AS (${TOUCHED})
     SELECT own.written || '.' || quote_ident(a.attname) || ' references ' || other.written || '(' || quote_ident(f.attname) || ')' AS name
     FROM pg_constraint c
     JOIN readable own ON own.oid = conrelid JOIN readable other ON other.oid = confrelid
     CROSS JOIN LATERAL unnest(conkey, confkey) k (own, other)
     JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = k.own
     JOIN pg_attribute f ON f.attrelid = confrelid AND f.attnum = k.other
     WHERE contype = 'f' AND EXISTS (SELECT FROM touched WHERE touched.oid IN (conrelid, confrelid))
       AND has_column_privilege(conrelid, k.own, 'SELECT') AND has_column_privilege(confrelid, k.other, 'SELECT')
     ORDER BY 1 LIMIT ${NAMES_MAX}`,
    [quotedNames(tables)],
  );
  const texts = (rows: typeof names): readonly string[] => rows.map((row) => String(row["name"]));
  return {
    tables: () => texts(names),
    columns: (table) => texts(columns.filter((row) => row["table"] === quoted(table))),
    foreignKeys: () => texts(keys),
    written: (path) => writtenPath(path, "postgres"),
  };
}

/** The text of an array of quoted names. */
function quotedNames(names: readonly string[]): string {
  const texts = names.map((name) => `"${quoted(name).replaceAll(/["\\]/g, "\\$&")}"`);
  return `{${texts.join(",")}}`;
}

function quoted(name: string): string {
  return quotedName(name.split("."));
}
