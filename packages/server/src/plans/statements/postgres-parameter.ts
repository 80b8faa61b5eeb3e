import type { SqlValue } from "../ports.js";
import type { Bind } from "./compiled-statement.js";
import { listJson, nullInLiteral, rowsJson, unbindable, type JsonDialect } from "./parameter.js";
import { elementTypeOf, isJsonType, POSTGRES, type PostgresType } from "./postgres-types.js";
import type { Cell, Selected } from "./select-output.js";
import { innerTypeOf, type CellType, type ColumnType } from "./step-output.js";

/** The value of a parameter on PostgreSQL. */
export function postgresParameter(selected: Selected, bind: Bind): SqlValue {
  const value = valueOf(selected, bind);
  const text = typeof value === "object" ? value?.text : value;
  if (typeof text === "string" && text.includes("\0")) {
    throw unbindable(bind, "holds a NUL character, which text of PostgreSQL cannot hold");
  }
  return value;
}

function valueOf(selected: Selected, bind: Bind): SqlValue {
  switch (selected.kind) {
    case "rows":
      return rowsJson(selected, POSTGRES_JSON);
    case "list":
      return bind.form === "array"
        ? arrayParameter(selected.cells)
        : listJson(selected.cells, POSTGRES_JSON);
    case "cell":
      return bind.form === "text" ? textInLiteral(selected.cell, bind) : parameter(selected.cell);
  }
}

function parameter(cell: Cell): SqlValue {
  const type = postgresTypeOf(cell);
  const text = textOf(cell);
  return type === undefined ? text : { type, text };
}

function textInLiteral(cell: Cell, bind: Bind): SqlValue {
  if (cell.json.kind === "null") throw nullInLiteral(bind);
  return cell.json.kind === "boolean" ? cell.json.text : textOf(cell);
}

/** All values of a column have one type; values from elsewhere may have different types. */
function arrayParameter(cells: readonly Cell[]): SqlValue {
  const elements = cells.map(arrayElement);
  const text = `{${elements.join(",")}}`;
  const [first] = cells;
  return first?.type?.engine === "postgres" ? { type: first.type.type, isArray: true, text } : text;
}

/**
 * The declared type of a parameter; `undefined` for text, whose type PostgreSQL infers from the
 * context.
 */
function postgresTypeOf({ json, type }: Cell): PostgresType | undefined {
  if (type?.engine === "postgres") return type.type;
  switch (json.kind) {
    case "boolean":
      return POSTGRES.bool;
    case "number":
      if (/^-?\d{1,18}$/.test(json.text)) return POSTGRES.int8;
      return type?.engine === "json" ? POSTGRES.numeric : POSTGRES.float8;
    case "array":
    case "object":
      return POSTGRES.jsonb;
    case "string":
      return type?.engine === "sqlite" ? SQLITE_TYPES[type.storage] : undefined;
    case "null":
      return undefined;
  }
}

const SQLITE_TYPES = {
  i: POSTGRES.int8,
  r: POSTGRES.float8,
  b: POSTGRES.bytea,
  t: undefined,
} as const;

/** PostgreSQL's text of a value. */
function textOf({ json, type }: Cell): string | null {
  const isJson = type?.engine === "postgres" && isJsonType(type.type);
  if (isJson && (json.kind !== "null" || type.isJsonNull === true)) return json.text;
  switch (json.kind) {
    case "null":
      return null;
    case "boolean":
      // The digits 1 and 0 can be read both as a boolean and as a number.
      return json.text === "true" ? "1" : "0";
    case "string":
      return isBytes(type) ? bytesText(json.plainText) : json.plainText;
    case "array": {
      const isArray = type?.engine === "postgres" && elementTypeOf(type.type) !== undefined;
      return isArray ? arrayText({ json, type }) : json.text;
    }
    default:
      return json.text;
  }
}

/** The text of an array (PostgreSQL manual, §8.15.6); inner arrays are further dimensions. */
function arrayText({ json, type }: Cell): string {
  const elements = json.elements.map((element) => {
    const inner = { json: element, type: innerTypeOf(type, element.kind === "array") };
    const isArray = element.kind === "array" && inner.type === type;
    return isArray ? arrayText(inner) : arrayElement(inner);
  });
  return `{${elements.join(",")}}`;
}

function arrayElement(cell: Cell): string {
  const text = cell.json.kind === "boolean" ? cell.json.text : textOf(cell);
  return text === null ? "NULL" : `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** Represents values as PostgreSQL's own `to_jsonb` does. */
const POSTGRES_JSON: JsonDialect = {
  fragment({ json, type }) {
    if (json.kind === "array" && type?.engine === "postgres" && !isJsonType(type.type)) {
      const elements = json.elements.map((element) => ({
        json: element,
        type: innerTypeOf(type, element.kind === "array"),
      }));
      return listJson(elements, POSTGRES_JSON);
    }
    if (json.kind !== "string") return json.text;
    if (isBytes(type)) return JSON.stringify(bytesText(json.plainText));
    return isNumeric(type) && JSON_NUMBER.test(json.plainText) ? json.plainText : json.text;
  },
  differs: (type: ColumnType) =>
    "storage" in type ||
    DIFFERING.has(type.type) ||
    DIFFERING.has(elementTypeOf(type.type) ?? type.type),
};

const DIFFERING: ReadonlySet<PostgresType> = new Set([
  POSTGRES.bytea,
  POSTGRES.int8,
  POSTGRES.numeric,
]);

const JSON_NUMBER = /^-?\d+(\.\d+)?$/;

function isBytes(type: CellType | undefined): boolean {
  if (type?.engine === "sqlite") return type.storage === "b";
  return type?.engine === "postgres" && type.type === POSTGRES.bytea;
}

function isNumeric(type: CellType | undefined): boolean {
  if (type?.engine === "sqlite") return type.storage === "i";
  if (type?.engine !== "postgres") return false;
  return type.type === POSTGRES.int8 || type.type === POSTGRES.numeric;
}

function bytesText(base64: string): string {
  return `\\x${Buffer.from(base64, "base64").toString("hex")}`;
}
