import { isJsonType, POSTGRES } from "../../plans/ports.js";

/** Which types a result's columns are of, as far as it matters to JSON. */
export interface TypeNames {
  /** Of an array type: its elements' type and what parts them; `undefined` for any other type. */
  arrayOf(oid: number): ArrayType | undefined;
}

/** The elements of an array type. */
export interface ArrayType {
  readonly element: number;
  readonly delimiter: string;
}

const NUMBERS: ReadonlySet<number> = new Set([
  POSTGRES.int2,
  POSTGRES.int4,
  POSTGRES.oid,
  POSTGRES.float4,
  POSTGRES.float8,
]);

/** Significant digits of a decimal that every double can tell from the next one. */
const DOUBLE_DIGITS = 15;

/**
 * JSON text of a value, from PostgreSQL's text of it: numbers that no double holds exactly are
 * strings of their digits, bytea is base64, timestamps are ISO 8601, json stays as it is (Decision
 * §5). NaN and infinities are strings: null would say that there is no value.
 */
export function cellJson(text: string | null, oid: number, types: TypeNames): string {
  if (text === null) return "null";
  const array = types.arrayOf(oid);
  if (array !== undefined) return arrayJson(text, array, types);
  if (NUMBERS.has(oid)) return numberJson(text);
  if (isJsonType(oid)) return text;
  switch (oid) {
    case POSTGRES.bool:
      return text === "t" ? "true" : "false";
    case POSTGRES.int8:
      return Number.isSafeInteger(Number(text)) ? text : `"${text}"`;
    case POSTGRES.numeric:
      return numericJson(text);
    case POSTGRES.bytea:
      return `"${Buffer.from(text.slice(2), "hex").toString("base64")}"`;
    case POSTGRES.timestamp:
      return JSON.stringify(text.replace(" ", "T"));
    case POSTGRES.timestamptz:
      return JSON.stringify(text.replace(" ", "T").replace(/\+00(?=$| )/, "Z"));
    default:
      return JSON.stringify(text);
  }
}

function numberJson(text: string): string {
  return Number.isFinite(Number(text)) ? text : `"${text}"`;
}

function numericJson(text: string): string {
  const digits = text.replace(/^-?0*\.?0*|\./g, "").length;
  return digits <= DOUBLE_DIGITS && Number.isFinite(Number(text)) ? text : `"${text}"`;
}

/** From the text of an array (PostgreSQL manual, §8.15.6). */
function arrayJson(text: string, type: ArrayType, types: TypeNames): string {
  // Other lower bounds than 1 stand before it: `[0:1]={a,b}`.
  let at = text.indexOf("{");
  const parseArray = (): string => {
    const items: string[] = [];
    at += 1;
    while (text[at] !== "}") {
      items.push(text[at] === "{" ? parseArray() : parseElement());
      if (text[at] === type.delimiter) at += 1;
    }
    at += 1;
    return `[${items.join(",")}]`;
  };
  const parseElement = (): string => {
    if (text[at] === '"') return cellJson(parseQuoted(), type.element, types);
    const start = at;
    while (text[at] !== type.delimiter && text[at] !== "}") at += 1;
    const element = text.slice(start, at);
    return element === "NULL" ? "null" : cellJson(element, type.element, types);
  };
  const parseQuoted = (): string => {
    let element = "";
    for (at += 1; text[at] !== '"'; at += 1) {
      if (text[at] === "\\") at += 1;
      element += text[at] ?? "";
    }
    at += 1;
    return element;
  };
  return parseArray();
}
