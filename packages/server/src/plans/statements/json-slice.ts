/** The kind of a JSON value. */
export type JsonKind = "null" | "boolean" | "number" | "string" | "array" | "object";

/**
 * A value in a JSON text that is known to be valid. It is parsed lazily, and its text stays
 * unchanged byte for byte: `JSON.parse` would turn `4` and `4.0` into one number, and round
 * `9007199254740993`.
 */
export class JsonSlice {
  readonly #source: string;
  readonly #start: number;
  readonly #end: number;
  #elements: readonly JsonSlice[] | undefined;
  #members: ReadonlyMap<string, JsonSlice> | undefined;

  private constructor(source: string, start: number, end: number) {
    this.#source = source;
    this.#start = start;
    this.#end = end;
  }

  /** The value of a whole text. */
  static of(json: string): JsonSlice {
    const start = skipBlanks(json, 0);
    return new JsonSlice(json, start, valueEnd(json, start));
  }

  /** Its JSON text. */
  get text(): string {
    return this.#source.slice(this.#start, this.#end);
  }

  get kind(): JsonKind {
    switch (this.#source[this.#start]) {
      case "n":
        return "null";
      case "t":
      case "f":
        return "boolean";
      case '"':
        return "string";
      case "[":
        return "array";
      case "{":
        return "object";
      default:
        return "number";
    }
  }

  /** The content of a string; for other values, the JSON text. */
  get plainText(): string {
    return this.kind === "string" ? String(JSON.parse(this.text)) : this.text;
  }

  /** The elements of an array, in order; empty for other values. */
  get elements(): readonly JsonSlice[] {
    return (this.#elements ??= this.kind === "array" ? this.#readElements() : []);
  }

  /** The members of an object, in order; the last one of equal names. Empty for other values. */
  get members(): ReadonlyMap<string, JsonSlice> {
    if (this.#members !== undefined) return this.#members;
    const members = new Map<string, JsonSlice>();
    this.#eachMember((nameStart, nameEnd, start, end) => {
      const name = String(JSON.parse(this.#source.slice(nameStart, nameEnd)));
      members.set(name, new JsonSlice(this.#source, start, end));
    });
    return (this.#members = members);
  }

  /** One member; cheaper than parsing all of them. */
  member(name: string): JsonSlice | undefined {
    if (this.#members !== undefined) return this.#members.get(name);
    const usual = JSON.stringify(name);
    let found: JsonSlice | undefined;
    this.#eachMember((nameStart, nameEnd, start, end) => {
      const isUsual =
        nameEnd - nameStart === usual.length && this.#source.startsWith(usual, nameStart);
      if (isUsual || this.#isWrittenOtherwise(name, nameStart, nameEnd)) {
        found = new JsonSlice(this.#source, start, end);
      }
    });
    return found;
  }

  /** Whether a name is written with escapes that `JSON.stringify` would not use. */
  #isWrittenOtherwise(name: string, start: number, end: number): boolean {
    const written = this.#source.slice(start, end);
    return written.includes("\\") && JSON.parse(written) === name;
  }

  #readElements(): readonly JsonSlice[] {
    const elements: JsonSlice[] = [];
    let at = skipBlanks(this.#source, this.#start + 1);
    while (this.#source[at] !== "]") {
      const element = new JsonSlice(this.#source, at, valueEnd(this.#source, at));
      elements.push(element);
      at = this.#next(element.#end);
    }
    return elements;
  }

  #eachMember(
    visit: (nameStart: number, nameEnd: number, start: number, end: number) => void,
  ): void {
    if (this.kind !== "object") return;
    let at = skipBlanks(this.#source, this.#start + 1);
    while (this.#source[at] !== "}") {
      const nameEnd = stringEnd(this.#source, at);
      const colon = skipBlanks(this.#source, nameEnd);
      const start = skipBlanks(this.#source, colon + 1);
      const end = valueEnd(this.#source, start);
      visit(at, nameEnd, start, end);
      at = this.#next(end);
    }
  }

  /** The position of the next element or member, or of the closing bracket. */
  #next(end: number): number {
    const at = skipBlanks(this.#source, end);
    return this.#source[at] === "," ? skipBlanks(this.#source, at + 1) : at;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isOpening(code: number): boolean {
  return code === 0x5b || code === 0x7b;
}

function isClosing(code: number): boolean {
  return code === 0x5d || code === 0x7d;
}

function skipBlanks(json: string, from: number): number {
  let at = from;
  while (isBlank(json.charCodeAt(at))) at += 1;
  return at;
}

function valueEnd(json: string, start: number): number {
  const first = json.charCodeAt(start);
  if (first === QUOTE) return stringEnd(json, start);
  if (isOpening(first)) return nestedEnd(json, start);
  for (let at = start; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === COMMA || isClosing(code) || isBlank(code)) return at;
  }
  return json.length;
}

function nestedEnd(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(json, at) - 1;
    else if (isOpening(code)) depth += 1;
    else if (isClosing(code) && (depth -= 1) === 0) return at + 1;
  }
  return json.length;
}

/**
 * The position behind the closing quote: the first quote with an even number of backslashes before
 * it.
 */
function stringEnd(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); ; quote = json.indexOf('"', quote + 1)) {
    if (quote < 0) return json.length;
    let backslashes = 0;
    while (json.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
}

/** Texts, which are left alone, and numbers of a JSON text. */
const TEXTS_AND_NUMBERS = /"(?:[^"\\]|\\[^])*"|-?\d[\d.eE+-]*/g;

/**
 * JSON whose numbers a double holds: another number becomes the text of its digits, where `JSON.parse` would round it,
 * turn a small one to 0, or a large one to no number at all.
 */
export function withHeldNumbers(json: string): string {
  return json.replaceAll(TEXTS_AND_NUMBERS, (token) =>
    token.startsWith('"') || isHeld(token) ? token : `"${token}"`,
  );
}

/** Whether a double, written out again, is the same number. */
function isHeld(text: string): boolean {
  const number = Number(text);
  return Number.isFinite(number) && normal(String(number)) === normal(text);
}

/** A number as its digits, without zeros around them, and its exponent. */
function normal(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  const scale = Number(exponent) - fraction.length + digits.length - significant.length;
  // Zero has no sign that counts, and no exponent.
  return significant === "" ? "0" : `${sign}${significant}e${String(scale)}`;
}
