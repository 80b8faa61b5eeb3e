import { tokenize } from "../../plans/index.js";
import {
  type Correction,
  type FailedStatement,
  type FailureRule,
  type NamedPart,
  useInstead,
} from "../correction.js";
import { columnsOf } from "../masked-message.js";
import type { NamedConstraint } from "../named-constraint.js";
import { columnsByConstraintName } from "../schema/constraint-name.js";
import { isKey, type KnownTables } from "../schema/known-tables.js";
import { checkedValues } from "../values/checked-values.js";
import { contentOf, literalOf } from "../values/literal.js";
import { meantValue } from "../values/meant-value.js";
import { refusedWrite } from "./refused-row.js";

/** A row that a constraint refuses. */
export const constraint: FailureRule = (failed) => {
  const listed = checked(failed);
  return [
    ...listed,
    ...(listed.length > 0 ? [] : condition(failed)),
    ...duplicate(failed),
    ...missing(failed),
  ];
};

/** A value that a CHECK does not list: the listed value that was meant. */
function checked({ constraint, sql, tables, scopes }: FailedStatement): readonly Correction[] {
  if (constraint?.kind !== "CHECK") return [];
  const table = tables.find(constraint.table ?? scopes[0]?.sources[0]?.table ?? "");
  if (table === undefined) return [];
  const lists = table.columns.flatMap((column) => {
    const values = checkedValues(table, column.name);
    return values === undefined || !constraint.text.includes(column.name)
      ? []
      : [{ column: column.name, values }];
  });
  const literals = tokenize(sql, tables.dialect).flatMap(({ type, text }) =>
    type === "string" ? [text] : [],
  );
  return lists.flatMap(({ column, values }) =>
    literals.flatMap((literal) => {
      const value = contentOf(literal);
      const meant = values.includes(value) ? undefined : meantValue(value, values);
      if (meant === undefined) return [];
      const { sentence, names } = useInstead(literalOf(meant), literal, [
        { table, columns: [column] },
      ]);
      return [
        { sentence: `${sentence} ${tables.written(column)} may be ${values.join(", ")}.`, names },
      ];
    }),
  );
}

/** What a CHECK demands of the row. */
function condition(failed: FailedStatement): readonly Correction[] {
  const { constraint, tables } = failed;
  const found = constraint?.kind === "CHECK" ? conditionOf(constraint, failed) : undefined;
  if (found === undefined) return [];
  const { part, text } = found;
  const table = tables.writtenTable(part.table);
  const sentence = `Write values for which \`${text}\` is true in \`${table}\`.`;
  return [{ sentence, names: [part] }];
}

/** The condition of a CHECK with the columns that it reads: SQLite says the expression of one without a name. */
function conditionOf(
  { text, table: owner }: NamedConstraint,
  failed: FailedStatement,
): { readonly part: NamedPart; readonly text: string } | undefined {
  const { tables } = failed;
  const table = owner === undefined ? refusedWrite(failed)?.table : tables.find(owner);
  if (table === undefined) return undefined;
  const named = tables.objects.find(
    ({ name, table: of, condition }) =>
      condition !== undefined && of === table.name && tables.isSame(text, name),
  );
  const found = named?.condition ?? table.checks.find((check) => check === text);
  if (found === undefined) return undefined;
  const words = tokenize(found, tables.dialect).map(({ value }) => value.toLowerCase());
  const columns = table.columns.map(({ name }) => name);
  const read = columns.filter((name) => words.includes(name.toLowerCase()));
  return { part: { table, columns: read.length > 0 ? read : columns }, text: found };
}

/** A row that exists already. */
function duplicate(failed: FailedStatement): readonly Correction[] {
  const { constraint, tables } = failed;
  const key = constraint?.kind === "UNIQUE" ? keyOf(constraint, tables) : undefined;
  if (key === undefined) return [];
  const written = key.columns.map((name) => tables.written(name)).join(", ");
  const upsert = isKey(key.table, key.columns)
    ? upsertOf(failed, `ON CONFLICT (${written}) DO NOTHING`)
    : undefined;
  const what = key.columns.length > 1 ? "values" : "a value";
  const sentence =
    upsert === undefined
      ? `Give \`${written}\` in \`${tables.writtenTable(key.table)}\` ${what} that no other row has.`
      : `${upsert} to keep the row that is there, or UPDATE that row.`;
  return [{ sentence, names: [key] }];
}

/** How an INSERT gets this clause; `undefined` for a statement that cannot have it. */
function upsertOf(failed: FailedStatement, clause: string): string | undefined {
  const { scopes, sql, tables } = failed;
  if (refusedWrite(failed)?.kind !== "insert") return undefined;
  if (/\bon\s+conflict\b|\bdefault\s+values\b/i.test(sql)) return undefined;
  const outer = scopes.filter(({ query }) => query.outer === undefined);
  const last = outer.at(-1);
  const returning = last?.query.tokens.find(
    ({ lower, kind, depth }) => lower === "returning" && kind === "word" && depth === 0,
  );
  // Without WHERE, SQLite reads the ON of ON CONFLICT as that of a join.
  const isBareSelect =
    last?.clauses.has("select") === true && !ENDS.some((end) => last.clauses.has(end));
  const text = tables.dialect === "sqlite" && isBareSelect ? `WHERE true ${clause}` : clause;
  return returning === undefined
    ? `Add \`${text}\` at the end`
    : `Use \`${text} ${returning.text}\` instead of \`${returning.text}\``;
}

/** Clauses after which ON is no part of a join. */
const ENDS = ["where", "group", "having", "order", "limit"] as const;

/** The columns of a unique constraint; `undefined` where they cannot be told from a name that somebody chose. */
function keyOf(constraint: NamedConstraint, tables: KnownTables): NamedPart | undefined {
  const table = constraint.isName && tables.find(constraint.table ?? "");
  if (!table) return columnsOf(constraint, tables);
  const columns = columnsByConstraintName(table, constraint.text);
  return columns && { table, columns };
}

/** A column without a value. */
function missing(failed: FailedStatement): readonly Correction[] {
  const { constraint, tables } = failed;
  const part = constraint?.kind === "NOT NULL" ? columnsOf(constraint, tables) : undefined;
  const [name] = part?.columns ?? [];
  if (part === undefined || name === undefined) return [];
  const write = refusedWrite(failed);
  const isLeftOut = write?.kind === "insert" && write.columns?.has(name.toLowerCase()) === false;
  const sentence = isLeftOut
    ? `Name \`${tables.written(name)}\` among the columns too, with a value that is not NULL.`
    : `Give \`${tables.written(name)}\` a value that is not NULL.`;
  return [{ sentence, names: [part] }];
}
