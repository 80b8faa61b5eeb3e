import { DatabaseError } from "pg";
import {
  ambiguousColumnHints,
  foreignKeyHints,
  missingColumnHint,
  missingTableHint,
  type NameCatalog,
} from "../repair-hints.js";
import { quotedName } from "./quoted-name.js";
import type { Session } from "./session.js";

/** Tables, and columns, that are looked at for a near miss. */
const NAMES_MAX = 5_000;

/**
 * Sentences that help to repair a statement that failed.
 * @param session outside of a transaction.
 * @param tables tables the statement names.
 */
export async function hintsFor(
  error: unknown,
  tables: readonly string[],
  session: Session,
): Promise<readonly string[]> {
  if (!(error instanceof DatabaseError)) return [];
  const { message } = error;
  const read = async (): Promise<NameCatalog> => readCatalog(tables, session);
  switch (error.code) {
    case "42P01": {
      const table =
        /^(?:relation "(.+)" does not exist|missing FROM-clause entry for table "(.+)")$/.exec(
          message,
        );
      const name = table?.[1] ?? table?.[2];
      return name === undefined ? [] : [missingTableHint(message, lastPart(name), await read())];
    }
    case "42703": {
      const column = /^column "?(.+?)"? (?:of relation "(.+)" )?does not exist$/.exec(message);
      if (column?.[1] === undefined) return [];
      const owners = column[2] === undefined ? tables : [column[2]];
      return [missingColumnHint(message, lastPart(column[1]), owners, await read())];
    }
    case "42702": {
      const name = /^column reference "(.+)" is ambiguous$/.exec(message)?.[1];
      return name === undefined ? [] : ambiguousColumnHints(message, name, tables, await read());
    }
    case "23503":
      return foreignKeyHints(message, tables, await read());
    default:
      return [];
  }
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

async function readCatalog(tables: readonly string[], session: Session): Promise<NameCatalog> {
  const names = await session.query(
    `SELECT CASE WHEN pg_table_is_visible(c.oid) THEN relname ELSE nspname || '.' || relname END AS name
     FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
     WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND nspname !~ '^pg_' AND nspname <> 'information_schema'
       AND relname !~ '^_steward_' ORDER BY pg_table_is_visible(c.oid) DESC, 1 LIMIT ${NAMES_MAX}`,
    [],
  );
  const columns = await session.query(
    `SELECT touched AS table, attname AS name FROM unnest($1::text[]) touched
     JOIN pg_attribute ON attrelid = to_regclass(touched)
     WHERE attnum > 0 AND NOT attisdropped ORDER BY touched, attnum LIMIT ${NAMES_MAX}`,
    [quotedNames(tables)],
  );
  const keys = await session.query(
    `SELECT conrelid::regclass || '.' || a.attname || ' references ' || confrelid::regclass ||
       '(' || f.attname || ')' AS name
     FROM pg_constraint CROSS JOIN LATERAL unnest(conkey, confkey) k (own, other)
     JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = k.own
     JOIN pg_attribute f ON f.attrelid = confrelid AND f.attnum = k.other
     WHERE contype = 'f' AND EXISTS (SELECT FROM unnest($1::text[]) touched
       WHERE to_regclass(touched) IN (conrelid, confrelid)) ORDER BY 1 LIMIT ${NAMES_MAX}`,
    [quotedNames(tables)],
  );
  const texts = (rows: typeof names): readonly string[] => rows.map((row) => String(row["name"]));
  return {
    tables: () => texts(names),
    columns: (table) => texts(columns.filter((row) => row["table"] === quoted(table))),
    foreignKeys: () => texts(keys),
  };
}

/** The text of an array of names, each as it is written in SQL. */
function quotedNames(names: readonly string[]): string {
  const texts = names.map((name) => `"${quoted(name).replaceAll(/["\\]/g, "\\$&")}"`);
  return `{${texts.join(",")}}`;
}

function quoted(name: string): string {
  return quotedName(name.split("."));
}
