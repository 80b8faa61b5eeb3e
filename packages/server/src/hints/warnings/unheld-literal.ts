import type { Relation } from "@steward/schema";
import { type Correction, type ReadStatement, useInstead } from "../correction.js";
import { columnNamed, type KnownTables } from "../schema/known-tables.js";
import { sourceOf } from "../statement/scope.js";
import { checkedValues } from "../values/checked-values.js";
import { contentOf, literalOf } from "../values/literal.js";
import { meantValue } from "../values/meant-value.js";

/** A text that a statement compares a column with. */
export interface ComparedText {
  readonly table: Relation;
  readonly column: string;
  /** As written, with quotes. */
  readonly literal: string;
  readonly value: string;
  /** The table and column as a statement writes them. */
  readonly path: string;
}

/** The texts that a statement compares columns with. */
export function comparedTexts({ scopes, tables }: ReadStatement): readonly ComparedText[] {
  return scopes.flatMap((scope) =>
    scope.conditions.flatMap(({ left, operator, right }) => {
      if ((operator !== "=" && operator !== "in") || left.kind !== "column") return [];
      const owner = sourceOf(scope, left.column);
      const column = owner && columnNamed(owner.table, left.column.name);
      if (owner === undefined || column === undefined || !isText(column.type, tables)) return [];
      return right.flatMap(({ kind, text }) =>
        // SQLite compares a number with a column of texts as a text.
        kind === "text" ||
        (kind === "number" && tables.dialect === "sqlite" && isOfTexts(column.type))
          ? [
              {
                ...{ table: owner.table, column: column.name, literal: text },
                value: kind === "text" ? contentOf(text) : text,
                path: `${tables.writtenTable(owner.table)}.${tables.written(column.name)}`,
              },
            ]
          : [],
      );
    }),
  );
}

function isOfTexts(type: string): boolean {
  return /CHAR|CLOB|TEXT/i.test(type);
}

function isText(type: string, { dialect }: KnownTables): boolean {
  return dialect === "sqlite"
    ? !/INT|REAL|NUM|DEC|DOUB|FLOA|DATE|BOOL|BLOB/i.test(type)
    : /^(?:text|character|varchar|citext)/.test(type);
}

/** Literals that a CHECK or an enum type excludes. */
export function excludedLiterals(statement: ReadStatement): readonly Correction[] {
  return comparedTexts(statement).flatMap((compared) => {
    const values = checkedValues(compared.table, compared.column);
    if (values === undefined || values.includes(compared.value)) return [];
    return [unheld(compared, values)];
  });
}

/** Values that a sentence names. */
const VALUES_NAMED_MAX = 20;

/** Says that a column never holds a literal. @param values all that it holds. */
export function unheld(
  { table, column, literal, value, path }: ComparedText,
  values: readonly string[],
): Correction {
  const held = values.slice(0, VALUES_NAMED_MAX).join(", ");
  const never = `${path} never holds ${literal}; it holds ${held}.`;
  const meant = meantValue(value, values);
  const names = [{ table, columns: [column] }];
  if (meant === undefined) return { sentence: never, names };
  const { sentence } = useInstead(literalOf(meant), literal);
  return { sentence: `${sentence} ${never}`, names };
}
