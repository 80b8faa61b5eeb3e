/**
 * Whether a table is one of PostgreSQL's own, which no statement may change.
 * @param name schema and name, or only the name: those found without a schema begin with `pg_`.
 */
export function isSystemTable(name: readonly string[]): boolean {
  const [table = "", schema] = [...name].reverse();
  if (schema === undefined) return table.startsWith("pg_");
  return schema === "information_schema" || schema.startsWith("pg_");
}

/** Whether a statement may read one of PostgreSQL's own tables: those that describe the schema. */
export function isReadableSystemTable(name: readonly string[]): boolean {
  const [table = "", schema] = [...name].reverse();
  if (schema === "information_schema") return !SERVER_ACCESS.test(table);
  return (schema === undefined || schema === "pg_catalog") && READABLE.has(table);
}

/** Views of the standard that show how, and with which password, other servers are reached. */
const SERVER_ACCESS = /^_pg_|^user_mapping|^foreign_(server|data_wrapper)/;

/** The others tell of other sessions and their statements, of roles and passwords, or of the server. */
const READABLE: ReadonlySet<string> = new Set(
  `pg_am pg_attrdef pg_attribute pg_class pg_collation pg_constraint pg_depend pg_description
  pg_enum pg_extension pg_index pg_indexes pg_inherits pg_matviews pg_namespace pg_opclass
  pg_operator pg_partitioned_table pg_policies pg_policy pg_proc pg_range pg_sequence pg_sequences
  pg_stat_user_indexes pg_stat_user_tables pg_statio_user_indexes pg_statio_user_tables
  pg_statistic_ext pg_tables pg_timezone_abbrevs pg_timezone_names pg_trigger pg_ts_config pg_type
  pg_views`.split(/\s+/),
);
