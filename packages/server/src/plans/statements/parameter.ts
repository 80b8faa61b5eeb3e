import { AppError } from "@steward/kernel/errors.js";
import type { Bind } from "./compiled-statement.js";
import { placeholderText } from "./placeholder.js";
import type { Cell, Selected } from "./select-output.js";
import { cellTypeOf, type ColumnType } from "./step-output.js";

/** How a dialect represents output values as JSON. */
export interface JsonDialect {
  /** JSON text of a value, in the form from which the dialect's JSON functions restore its type. */
  fragment(cell: Cell): string;
  /** Whether values of a column may differ, in the dialect's form, from the output's own JSON. */
  differs(type: ColumnType): boolean;
}

/** JSON text of rows in a dialect's form. A row whose output already has that form is copied. */
export function rowsJson(
  { json, row, types }: Extract<Selected, { kind: "rows" }>,
  dialect: JsonDialect,
): string {
  const differing = [...types.values()].filter((type) => dialect.differs(type));
  if (differing.length === 0) return json.text;
  const rowJson = (object: Cell["json"], index: number): string => {
    const cell = (name: string, value: Cell["json"]): Cell => ({
      json: value,
      type: cellTypeOf(types.get(name), index),
    });
    const isSame = differing.every(({ name }) => {
      const value = object.member(name);
      return value === undefined || dialect.fragment(cell(name, value)) === value.text;
    });
    if (isSame) return object.text;
    const members = [...object.members].map(
      ([name, value]) => `${JSON.stringify(name)}:${dialect.fragment(cell(name, value))}`,
    );
    return `{${members.join(",")}}`;
  };
  return row === undefined ? `[${json.elements.map(rowJson).join(",")}]` : rowJson(json, row);
}

/** JSON text of a list of values. */
export function listJson(cells: readonly Cell[], dialect: JsonDialect): string {
  return `[${cells.map((cell) => dialect.fragment(cell)).join(",")}]`;
}

/** The error for a value that does not fit its use. */
export function unbindable(bind: Bind, what: string): AppError {
  const message = `${placeholderText(bind)} ${what}`;
  return new AppError("STEP_FAILED", message, {
    details: [{ field: placeholderText(bind), reason: message }],
  });
}

/** The error for NULL inside a string literal. */
export function nullInLiteral(bind: Bind): AppError {
  return unbindable(
    bind,
    "is null and stands inside a string literal, where null has no text: select coalesce(…) in the " +
      "step before, or put the placeholder outside the quotes",
  );
}
