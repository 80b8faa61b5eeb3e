/**
 * Whether a table belongs to PostgreSQL itself or shows server state. No statement may change such
 * a table.
 * @param name schema and name, or only the name. Without a schema, names with the prefix `pg_`
 * count.
 */
export function isSystemTable(name: readonly string[]): boolean {
  const [table = "", schema] = [...name].reverse();
  if (schema === undefined) return table.startsWith("pg_");
  return isSystemSchema(schema) || STATISTICS.test(table);
}

/** Whether a schema belongs to PostgreSQL itself, or holds a session's temporary objects. */
export function isSystemSchema(schema: string): boolean {
  return schema === "information_schema" || schema.startsWith("pg_");
}

/** Views of extensions, in any schema, that show other sessions' statements and their data. */
const STATISTICS = /^pg_(stat_|buffercache|wait_sampling)/;

/**
 * Whether a statement may read a given system table: only those that describe the schema are
 * readable.
 */
export function isReadableSystemTable(name: readonly string[]): boolean {
  const [table = "", schema] = [...name].reverse();
  if (schema === "information_schema") return !SERVER_ACCESS.test(table);
  return (schema === undefined || schema === "pg_catalog") && READABLE.has(table);
}

/** Views of the SQL standard that show connections to other servers, with passwords. */
const SERVER_ACCESS = /^_pg_|^user_mapping|^foreign_(server|data_wrapper)/;

/** Readable system tables. All others show other sessions, roles and passwords, or server state. */
const READABLE: ReadonlySet<string> = new Set(
  `pg_aggregate pg_am pg_amop pg_amproc pg_attrdef pg_attribute pg_cast pg_class pg_collation
  pg_constraint pg_conversion pg_depend pg_description pg_enum pg_extension pg_index pg_indexes
  pg_inherits pg_language pg_matviews pg_namespace pg_opclass pg_operator pg_opfamily
  pg_partitioned_table pg_policies pg_policy pg_proc pg_range pg_rewrite pg_rules pg_sequence
  pg_sequences pg_stat_user_indexes pg_stat_user_tables pg_statio_user_indexes
  pg_statio_user_tables pg_statistic_ext pg_tables pg_timezone_abbrevs pg_timezone_names pg_trigger
  pg_ts_config pg_ts_config_map pg_ts_dict pg_ts_parser pg_ts_template pg_type pg_views`.split(
    /\s+/,
  ),
);
