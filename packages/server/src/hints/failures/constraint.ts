import {
  type Correction,
  type FailedStatement,
  type FailureRule,
  useInstead,
} from "../correction.js";
import type { KnownTables } from "../schema/known-tables.js";
import { columnsOf, constraintIn } from "../masked-message.js";
import { columnsByConstraintName } from "../schema/constraint-name.js";
import { checkedValues } from "../values/checked-values.js";
import { meantValue } from "../values/meant-value.js";

/** A row that a constraint refuses. */
export const constraint: FailureRule = (failed) => [
  ...checked(failed),
  ...duplicate(failed),
  ...missing(failed),
];

/** A value that a CHECK does not list: the listed value that was meant. */
function checked({ message, sql, tables, scopes }: FailedStatement): readonly Correction[] {
  const sqlite = /^CHECK constraint failed: (.+)$/.exec(message)?.[1];
  const postgres = /^new row for relation "(.+)" violates check constraint "(.+)"$/.exec(message);
  const tableName = postgres?.[1] ?? scopes[0]?.sources[0]?.table ?? "";
  const table = tables.find(tableName);
  if (table === undefined || (sqlite === undefined && postgres === null)) return [];
  const name = postgres?.[2] ?? "";
  const lists = table.columns.flatMap((column) => {
    const values = checkedValues(table, column.name);
    const isNamed = sqlite?.includes(column.name) ?? name.includes(column.name);
    return values === undefined || !isNamed ? [] : [{ column: column.name, values }];
  });
  const literals = [...sql.matchAll(/'((?:[^']|'')*)'/g)].map(([, text = ""]) => text);
  return lists.flatMap(({ column, values }) =>
    literals.flatMap((literal) => {
      const meant = values.includes(literal) ? undefined : meantValue(literal, values);
      if (meant === undefined) return [];
      const { sentence, names } = useInstead(`'${meant}'`, `'${literal}'`, [
        { table, columns: [column] },
      ]);
      return [{ sentence: `${sentence} ${column} may be ${values.join(", ")}.`, names }];
    }),
  );
}

/** A row that exists already. */
function duplicate(failed: FailedStatement): readonly Correction[] {
  const key = duplicateKey(failed);
  if (key === undefined || !/^\s*(?:with\b.*)?insert\b/is.test(failed.sql)) return [];
  const columns = key.columns.map((name) => failed.tables.written(name)).join(", ");
  const isThere = /\bon\s+conflict\b/i.test(failed.sql);
  if (isThere) return [];
  return [
    {
      sentence: `Add \`ON CONFLICT (${columns}) DO NOTHING\` at the end to keep the row that is there, or UPDATE that row.`,
      names: [key],
    },
  ];
}

function duplicateKey({ message, tables }: FailedStatement) {
  const sqlite = /^UNIQUE constraint failed: (.+)$/.exec(message)?.[1];
  if (sqlite !== undefined) {
    const paths = sqlite.split(", ").map((path) => path.split("."));
    const table = tables.find(paths[0]?.slice(0, -1).join(".") ?? "");
    return table && { table, columns: paths.map((path) => path.at(-1) ?? "") };
  }
  const name = /^duplicate key value violates unique constraint "(.+)"$/.exec(message)?.[1];
  return name === undefined ? undefined : keyNamed(name, tables);
}

/** The key whose constraint has the name that the engine gave it. */
function keyNamed(name: string, { all }: KnownTables) {
  for (const table of all) {
    const columns = columnsByConstraintName(table, name);
    if (columns !== undefined) return { table, columns };
  }
  return undefined;
}

/** A column without a value. */
function missing({ message, sql, tables }: FailedStatement): readonly Correction[] {
  const constraint = constraintIn({ message, cause: undefined });
  const part = constraint?.kind === "NOT NULL" ? columnsOf(constraint, tables) : undefined;
  const [name] = part?.columns ?? [];
  if (part === undefined || name === undefined) return [];
  const isNamed = new RegExp(`\\b${name.replaceAll(/\W/g, "\\$&")}\\b`, "i").test(sql);
  const sentence = isNamed
    ? `Give \`${name}\` a value that is not NULL.`
    : `Name \`${name}\` among the columns too, with a value that is not NULL.`;
  return [{ sentence, names: [part] }];
}
