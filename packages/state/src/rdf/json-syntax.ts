/** The tokens that JSON allows next (RFC 8259). */
type Expected =
  "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end" | "end";

/**
 * Offset of the first character at which a text stops being JSON. Node's own parser gives no
 * position for most errors.
 * @returns the text's length when the text is only incomplete.
 */
export function jsonErrorOffset(text: string): number {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let at = skipSpace(text, 0);
  while (at < text.length) {
    const start = at;
    const char = text.charAt(at);
    if (char === '"' || /[-\dtfn]/.test(char)) {
      const isName: boolean = expected === "name" || expected === "name or end";
      if (isName ? char !== '"' : !expected.startsWith("value")) return start;
      const end = char === '"' ? stringEnd(text, at) : scalarEnd(text, at);
      if (end.error !== undefined) return end.error;
      at = end.at;
      expected = isName ? "colon" : afterValue(open);
    } else if (char === "{" || char === "[") {
      if (!expected.startsWith("value")) return start;
      open.push(char);
      expected = char === "{" ? "name or end" : "value or end";
      at += 1;
    } else if (char === "}" || char === "]") {
      const mayEnd = expected.endsWith("or end");
      if (!mayEnd || open.pop() !== (char === "}" ? "{" : "[")) return start;
      expected = afterValue(open);
      at += 1;
    } else if (char === ":" && expected === "colon") {
      expected = "value";
      at += 1;
    } else if (char === "," && expected === "comma or end") {
      expected = open.at(-1) === "{" ? "name" : "value";
      at += 1;
    } else {
      return start;
    }
    at = skipSpace(text, at);
  }
  return text.length;
}

function afterValue(open: readonly string[]): Expected {
  return open.length === 0 ? "end" : "comma or end";
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \t\n\r".includes(text.charAt(at))) at += 1;
  return at;
}

/** The end of a token, or the position of its error. */
interface TokenEnd {
  readonly at: number;
  readonly error?: number;
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

function stringEnd(text: string, start: number): TokenEnd {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') return { at: at + 1 };
    if (char < " ") return { at, error: at };
    if (char !== "\\") continue;
    ESCAPE.lastIndex = at;
    const [escape] = ESCAPE.exec(text) ?? [];
    if (escape === undefined) return { at, error: at };
    at += escape.length - 1;
  }
  return { at: text.length, error: text.length };
}

const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;

function scalarEnd(text: string, start: number): TokenEnd {
  SCALAR.lastIndex = start;
  const [scalar] = SCALAR.exec(text) ?? [];
  return scalar === undefined ? { at: start, error: start } : { at: start + scalar.length };
}
