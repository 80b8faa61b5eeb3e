import { assert } from "@steward/kernel/assert.js";
import type { SqlValue } from "../ports.js";
import type { Bind } from "./compiled-statement.js";
import { listJson, nullInLiteral, rowsJson, type JsonDialect } from "./parameter.js";
import { POSTGRES } from "./postgres-types.js";
import type { Cell, Selected } from "./select-output.js";
import type { CellType, ColumnType } from "./step-output.js";

/**
 * The SQL expression that reads a parameter. The parameter is JSON, which distinguishes integers
 * from reals and can contain NUL characters, while the driver may not bind such values exactly; or
 * it is a blob, which JSON cannot represent.
 */
export function sqliteValue(parameter: string): string {
  return `CASE typeof(${parameter}) WHEN 'blob' THEN ${parameter} ELSE ${parameter} ->> '$' END`;
}

/** The SQL expression that reads a parameter inside a string literal. */
export function sqliteText(parameter: string): string {
  return `(${parameter} ->> '$')`;
}

/**
 * The list that `IN` compares with: the values of a JSON array, in which `{"blob": "…"}` is a blob
 * in hexadecimal.
 */
export function sqliteMembers(parameter: string): string {
  const value = "CASE type WHEN 'object' THEN unhex(value ->> 'blob') ELSE value END";
  return `SELECT ${value} FROM json_each(${parameter})`;
}

/** The value of a parameter on SQLite. */
export function sqliteParameter(selected: Selected, bind: Bind): SqlValue {
  switch (selected.kind) {
    case "rows":
      return rowsJson(selected, SQLITE_JSON);
    case "list":
      return bind.form === "members"
        ? `[${selected.cells.map(memberJson).join(",")}]`
        : listJson(selected.cells, SQLITE_JSON);
    case "cell":
      return bind.form === "text" ? textParameter(selected.cell, bind) : parameter(selected.cell);
  }
}

function parameter(cell: Cell): SqlValue {
  if (cell.json.kind === "null") return null;
  if (isBlob(cell)) return { storage: "blob", text: cell.json.plainText };
  return { storage: "json", text: scalarJson(cell) };
}

function textParameter(cell: Cell, bind: Bind): SqlValue {
  if (cell.json.kind === "null") throw nullInLiteral(bind);
  return { storage: "json", text: JSON.stringify(cell.json.plainText) };
}

function memberJson(cell: Cell): string {
  return isBlob(cell) ? `{"blob":"${hexOf(cell)}"}` : scalarJson(cell);
}

/** An array or object from another engine is text here. */
function scalarJson(cell: Cell): string {
  const { json } = cell;
  const isText = json.kind === "array" || json.kind === "object";
  return isText ? JSON.stringify(json.text) : SQLITE_JSON.fragment(cell);
}

const SQLITE_JSON: JsonDialect = {
  fragment(cell) {
    const { json, type } = cell;
    if (json.kind === "string") return stringJson(cell);
    // SQLite's type metadata concern strings only: in a column with an infinity, 0 is still an
    // integer.
    if (type?.engine !== "postgres") return json.text;
    const isWhole = json.kind === "number" && !/[.eE]/.test(json.text);
    return isWhole && isReal(type) ? `${json.text}.0` : json.text;
  },
  differs: (type: ColumnType) => "storage" in type || DIFFERING.has(type.type),
};

/** PostgreSQL types that SQLite represents differently in JSON. */
const DIFFERING: ReadonlySet<number | string> = new Set([
  POSTGRES.bytea,
  POSTGRES.int8,
  POSTGRES.float4,
  POSTGRES.float8,
  POSTGRES.numeric,
]);

/**
 * The value of a JSON string. An infinity is a number that is too large, because SQLite has no
 * literal for it.
 */
function stringJson(cell: Cell): string {
  const { json, type } = cell;
  const text = json.plainText;
  if (isBlob(cell)) return `"${hexOf(cell)}"`;
  if (isReal(type) && text.endsWith("Infinity")) return text.replace("Infinity", "9e999");
  return isInteger(type) && isInt64(text) ? text : json.text;
}

function isBlob({ json, type }: Cell): boolean {
  if (json.kind !== "string") return false;
  return type?.engine === "sqlite"
    ? type.storage === "b"
    : type?.engine === "postgres" && type.type === POSTGRES.bytea;
}

function isReal(type: CellType | undefined): boolean {
  if (type?.engine === "sqlite") return type.storage === "r";
  if (type?.engine !== "postgres") return false;
  return type.type === POSTGRES.float4 || type.type === POSTGRES.float8;
}

function isInteger(type: CellType | undefined): boolean {
  if (type?.engine === "sqlite") return type.storage === "i";
  if (type?.engine !== "postgres") return false;
  return type.type === POSTGRES.int8 || type.type === POSTGRES.numeric;
}

function isInt64(text: string): boolean {
  return /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

function hexOf({ json }: Cell): string {
  assert(json.kind === "string", "a blob is a string of base64");
  return Buffer.from(json.plainText, "base64").toString("hex");
}
