/** Words that one of the engines does not take for a name without quotes, at least in some places. */
const QUOTED_WORDS: ReadonlySet<string> = new Set(
  (
    "abort action add after all alter always analyse analyze and any array as asc asymmetric attach authorization " +
    "autoincrement before begin between binary both by cascade case cast check collate collation column commit " +
    "concurrently conflict constraint create cross current current_catalog current_date current_role current_schema " +
    "current_time current_timestamp current_user database default deferrable deferred delete desc detach distinct do " +
    "drop each else end escape except exclude exclusive exists explain fail false fetch filter first following for " +
    "foreign freeze from full generated glob grant group groups having if ignore ilike immediate in index indexed " +
    "initially inner insert instead intersect interval into is isnull join key last lateral leading left like limit " +
    "localtime localtimestamp match materialized natural no not nothing notnull null nulls of off offset old on only " +
    "or order others outer over overlaps partition placing plan pragma preceding primary query raise range recursive " +
    "references regexp reindex release rename replace restrict returning right rollback row rows savepoint select " +
    "session_user set similar some symmetric system_user table tablesample temp temporary then ties to trailing " +
    "transaction trigger true unbounded union unique update user using vacuum values variadic verbose view virtual " +
    "when where window with within without"
  ).split(" "),
);

/** A name as a statement can write it: in quotes where the engine would read something else without them. */
export function writtenName(name: string, dialect: "sqlite" | "postgres"): string {
  // PostgreSQL folds what has no quotes to lower case.
  const plain = dialect === "postgres" ? /^[a-z_][a-z0-9_]*$/ : /^[a-z_][a-z0-9_]*$/i;
  return plain.test(name) && !QUOTED_WORDS.has(name.toLowerCase()) ? name : quoted(name);
}

/** A name in quotes, which both engines read as it is. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The same of a name with the names in front of it, such as `crm."Notes"`. */
export function writtenPath(path: string, dialect: "sqlite" | "postgres"): string {
  return path
    .split(".")
    .map((part) => writtenName(part, dialect))
    .join(".");
}
