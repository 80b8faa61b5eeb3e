import { isSign, isWord, type Token } from "./sql-tokens.js";

const NO_TOKEN: Token = { type: "sign", text: "", value: "", start: 0, isClosed: true };

/** Reads tokens one after the other, skipping comments. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens.filter(({ type }) => type !== "comment");
  }

  get isDone(): boolean {
    return this.#at >= this.#tokens.length;
  }

  peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#at + ahead];
  }

  /** The next token; an empty token at the end. */
  next(): Token {
    return this.#tokens[this.#at++] ?? NO_TOKEN;
  }

  /** Consumes these words if they come next, in any case. */
  takeWords(...words: readonly string[]): boolean {
    if (!words.every((word, ahead) => isWord(this.peek(ahead), word))) return false;
    this.#at += words.length;
    return true;
  }

  /**
   * Consumes one of these words if it comes next.
   * @returns it in upper case.
   */
  takeOneOf(...words: readonly string[]): string | undefined {
    return isWord(this.peek(), ...words) ? this.next().text.toUpperCase() : undefined;
  }

  takeSign(sign: string): boolean {
    if (!isSign(this.peek(), sign)) return false;
    this.#at += 1;
    return true;
  }

  /** The tokens inside the next parentheses. */
  parenthesized(): readonly Token[] {
    if (!this.takeSign("(")) return [];
    const from = this.#at;
    for (let depth = 1; !this.isDone;) {
      const token = this.next();
      if (isSign(token, "(")) depth += 1;
      if (isSign(token, ")")) depth -= 1;
      if (depth === 0) return this.#tokens.slice(from, this.#at - 1);
    }
    return this.#tokens.slice(from);
  }

  /** All remaining tokens. */
  rest(): readonly Token[] {
    const rest = this.#tokens.slice(this.#at);
    this.#at = this.#tokens.length;
    return rest;
  }

  /**
   * Tokens up to the first one that satisfies `isEnd`, which is not consumed. Parenthesized groups
   * are skipped as a whole.
   */
  until(isEnd: (token: Token) => boolean): readonly Token[] {
    const from = this.#at;
    for (let depth = 0; !this.isDone; this.#at++) {
      const token = this.peek();
      if (token === undefined || (depth === 0 && isEnd(token))) break;
      if (isSign(token, "(")) depth += 1;
      if (isSign(token, ")")) depth -= 1;
    }
    return this.#tokens.slice(from, this.#at);
  }
}
