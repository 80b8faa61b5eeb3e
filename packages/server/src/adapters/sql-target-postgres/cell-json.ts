import { isJsonType, POSTGRES } from "../../plans/ports.js";

/** The types of a result's columns, as far as they affect the JSON. */
export interface TypeNames {
  /** The element type and the delimiter of an array type; `undefined` for any other type. */
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

/** Number of significant decimal digits that every double preserves. */
const DOUBLE_DIGITS = 15;

/** The smallest double with all its digits: 2^-1022. */
const NORMAL_MIN = 2 ** -1022;

/**
 * Converts PostgreSQL's text of a value to JSON (Decision §5). Numbers that no double represents
 * exactly become strings, bytea becomes base64, timestamps become ISO 8601, and json is unchanged.
 * NaN and infinities become strings, because null would mean that there is no value.
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
  return digits <= DOUBLE_DIGITS && isInRange(Number(text), digits) ? text : `"${text}"`;
}

/** Whether doubles have all their digits at this size: below the smallest normal one they lose them, and become 0. */
function isInRange(number: number, digits: number): boolean {
  return digits === 0 || (Number.isFinite(number) && Math.abs(number) >= NORMAL_MIN);
}

/** Parses the text of an array (PostgreSQL manual, §8.15.6). */
function arrayJson(text: string, type: ArrayType, types: TypeNames): string {
  // Lower bounds other than 1 precede the array: `[0:1]={a,b}`.
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
