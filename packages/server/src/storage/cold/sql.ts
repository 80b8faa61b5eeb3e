/**
 * SQL for both engines. What differs between them (placeholders, types of values, a few names) is
 * written down once here, so that a store is written once.
 */
export type Dialect = "sqlite" | "postgres";

/** A value bound to a statement; `undefined` is NULL. Integers are safe ones. */
export type SqlValue = string | number | bigint | Uint8Array | null | undefined;

/** A statement or a part of one, with its values. */
export interface Sql {
  /** The text in a dialect; adds the values to `values`, in the order of their placeholders. */
  readonly textIn: (dialect: Dialect, values: SqlValue[]) => string;
}

/** SQL text with values, which are bound, and parts, which are inserted. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (SqlValue | Sql)[]): Sql {
  return {
    textIn: (dialect, values) =>
      texts.reduce((before, text, index) => {
        const part = parts[index - 1];
        return (
          before +
          (isSql(part) ? part.textIn(dialect, values) : bound(part, dialect, values)) +
          text
        );
      }),
  };
}

/** Text of this program, such as the name of a table; never a value. */
export function raw(text: string): Sql {
  return { textIn: () => text };
}

/** What the engines write differently. */
export function either(parts: Readonly<Record<Dialect, Sql>>): Sql {
  return { textIn: (dialect, values) => parts[dialect].textIn(dialect, values) };
}

/** Nothing on SQLite, whose store has one process and one writer. A statement without text is not run. */
export function onPostgres(part: Sql): Sql {
  return either({ sqlite: raw(""), postgres: part });
}

/** Nothing on PostgreSQL. */
export function onSqlite(part: Sql): Sql {
  return either({ sqlite: part, postgres: raw("") });
}

/** Parts with a text between them. */
export function joined(parts: readonly Sql[], between: string): Sql {
  return {
    textIn: (dialect, values) => parts.map((part) => part.textIn(dialect, values)).join(between),
  };
}

/** A value whose type PostgreSQL cannot infer where it stands. @param type the type there. */
export function typed(value: SqlValue, type: string): Sql {
  return either({ sqlite: sql`${value}`, postgres: sql`${value}::${raw(type)}` });
}

/** The larger one of two values that are not NULL. */
export function greater(a: Sql, b: Sql): Sql {
  return either({ sqlite: sql`max(${a}, ${b})`, postgres: sql`greatest(${a}, ${b})` });
}

/** Whether an expression has one of these values. @param type its type on PostgreSQL. */
export function among(expression: Sql, values: readonly string[], type: string): Sql {
  const list = JSON.stringify(values);
  return either({
    sqlite: sql`${expression} IN (SELECT value FROM json_each(${list}))`,
    postgres: sql`${expression} =
      ANY (ARRAY (SELECT json_array_elements_text(${list}::json))::${raw(type)}[])`,
  });
}

/** Whether a text contains another one. */
export function contains(text: Sql, part: string): Sql {
  return either({
    sqlite: sql`instr(${text}, ${part}) > 0`,
    postgres: sql`strpos(${text}, ${part}) > 0`,
  });
}

/** A member of a JSON object, or of objects within it, as text or, on SQLite, as the value that it is. */
export function member(column: string, ...path: readonly string[]): Sql {
  const within = path.map((name, index) => `${index < path.length - 1 ? "->" : "->>"} '${name}'`);
  return either({
    sqlite: raw([column, ...within].join(" ")),
    postgres: raw([`${column}::json`, ...within].join(" ")),
  });
}

/**
 * The first condition of a query that may look at many rows without returning one: it ends such a query
 * on SQLite when its time is over. PostgreSQL limits the time of each statement itself.
 */
export const inTime: Sql = either({ sqlite: raw("is_in_time()"), postgres: raw("true") });

/** The elements of a list, as the rows `e` with the JSON value `e.value`. */
export function elements(list: readonly unknown[]): Sql {
  const text = JSON.stringify(list);
  return either({
    sqlite: sql`json_each(${text}) AS e`,
    postgres: sql`json_array_elements(${text}::json) AS e (value)`,
  });
}

function isSql(part: SqlValue | Sql): part is Sql {
  return typeof part === "object" && part !== null && "textIn" in part;
}

function bound(value: SqlValue, dialect: Dialect, values: SqlValue[]): string {
  values.push(value);
  return dialect === "sqlite" ? "?" : `$${values.length}`;
}
