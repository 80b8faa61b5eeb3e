import { EXAMPLES_MAX, type RowQuestion } from "../../model/row-check.js";
import { nameOf, type PostgresObject } from "../../model/schema.js";
import { quoteText } from "./names.js";

/** The reason why dropping an extension may lose rows. */
export const EXTENSION_ROWS = "rows of tables that belong to it would be dropped with it";

/**
 * Counts the rows of the tables that belong to an extension, before it is dropped. A schema does
 * not describe these tables, so no other check would reveal the loss. For a configuration table,
 * only the rows that pg_dump would dump count, because the extension recreates the others
 * (PostgreSQL, "Extension Configuration Tables").
 */
export function extensionRows(extension: PostgresObject): RowQuestion {
  const tables = tablesOf(nameOf(extension));
  return {
    object: nameOf(extension),
    consequence: EXTENSION_ROWS,
    count: `SELECT coalesce(sum(rows), 0) AS count FROM (${tables}) AS t`,
    examples:
      `SELECT name || ': ' || rows AS example FROM (${tables}) AS t WHERE rows > 0 ` +
      `ORDER BY name LIMIT ${EXAMPLES_MAX}`,
  };
}

/** A query for the tables of an extension, each with its number of rows. */
function tablesOf(extension: string): string {
  // Plain SQL cannot count the rows of tables whose names are only known at run time. The function
  // query_to_xml runs a query given as text.
  const query = `format('SELECT count(*) AS n FROM %s %s', c.oid::regclass, (${condition()}))`;
  const rows = `substring(query_to_xml(${query}, false, true, '')::text FROM '<n>([0-9]+)</n>')::bigint`;
  return (
    `SELECT c.oid::regclass::text AS name, ${rows} AS rows FROM pg_extension e ` +
    `JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e' ` +
    `JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid AND c.relkind IN ('r', 'm') ` +
    `WHERE e.extname = ${quoteText(extension)}`
  );
}

function condition(): string {
  return `SELECT e.extcondition[i] FROM generate_subscripts(e.extconfig, 1) AS i WHERE e.extconfig[i] = c.oid`;
}
