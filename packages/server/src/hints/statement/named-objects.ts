import type { Dialect } from "../../governance/index.js";
import type { ObjectKind } from "../schema/known-objects.js";
import { type CodeToken, queriesOf } from "./code.js";
import { closeOf, isName } from "./select.js";

/** An object that a statement names where it is no part of a query. */
export interface NamedObject {
  /** What it can be, so that the statement does with it what it says. */
  readonly kinds: readonly (ObjectKind | "column")[];
  /** Its parts as the engine reads them; of a column, its name alone. */
  readonly path: readonly string[];
  /** As the statement writes it, with the names in front of it. */
  readonly text: string;
  /** The path of the table that it belongs to. */
  readonly table?: readonly string[];
  /** Whether a text holds the name, as in `nextval('numbers')`. */
  readonly isText?: true;
}

/**
 * The objects that a statement names outside of its queries, in their order. Engines report no place for most of
 * these, and a parse tree holds none either.
 */
export function namedObjectsIn(sql: string, dialect: Dialect): readonly NamedObject[] {
  const reader = new ObjectReader(queriesOf(sql, dialect)[0]?.tokens ?? [], dialect);
  reader.read();
  return reader.found;
}

const RELATIONS: readonly ObjectKind[] = ["table", "view", "materialized view"];
const ANY_RELATION: readonly ObjectKind[] = [...RELATIONS, "sequence", "index"];

const FUNCTIONS: readonly ObjectKind[] = ["function", "trigger function"];

/** The words by which statements call the kinds. */
const KIND_WORDS: Readonly<Record<string, readonly ObjectKind[]>> = {
  table: ["table"],
  view: ["view"],
  "materialized view": ["materialized view"],
  "foreign table": ["table"],
  sequence: ["sequence"],
  index: ["index"],
  type: ["type"],
  domain: ["type"],
  schema: ["schema"],
  function: FUNCTIONS,
  procedure: FUNCTIONS,
  aggregate: FUNCTIONS,
  routine: FUNCTIONS,
  trigger: ["trigger"],
  policy: ["policy"],
  constraint: ["constraint"],
};

/** Words before a list of columns. */
const COLUMN_LISTS = /^(?:key|unique|conflict)$/;

/** A name at a place of the statement. */
interface Path {
  readonly parts: readonly string[];
  readonly text: string;
  /** The token after it. */
  readonly next: number;
}

class ObjectReader {
  readonly found: NamedObject[] = [];
  readonly #tokens: readonly CodeToken[];
  readonly #dialect: Dialect;
  /** The table that the statement changes or defines something on. */
  #subject: readonly string[] | undefined;

  constructor(tokens: readonly CodeToken[], dialect: Dialect) {
    this.#tokens = tokens;
    this.#dialect = dialect;
  }

  read(): void {
    this.#readSubject();
    for (let index = 1; index < this.#tokens.length; index += 1) this.#readClause(index);
  }

  /** What the statement is about: the names after its verb. */
  #readSubject(): void {
    switch (this.#lower(0)) {
      case "drop":
      case "alter":
        this.#readKind(1);
        break;
      case "comment":
        if (this.#lower(2) === "column") this.#readColumnPath(3);
        else this.#readKind(2);
        break;
      case "truncate":
        this.#readList(this.#after(1, "table", "only"), ["table"]);
        break;
      case "refresh":
        this.#readList(this.#after(3, "concurrently"), ["materialized view"]);
        break;
      case "create":
        this.#readCreated();
        break;
      case "grant":
      case "revoke":
        this.#readGranted();
        break;
      default: {
        const into = this.#tokens.findIndex(({ lower, depth }) => lower === "into" && depth === 0);
        if (into !== -1) this.#subject = this.#path(into + 1)?.parts;
      }
    }
  }

  #readKind(from: number): void {
    const two = `${this.#lower(from)} ${this.#lower(from + 1)}`;
    const kinds = KIND_WORDS[two] ?? KIND_WORDS[this.#lower(from)];
    if (kinds === undefined) return;
    const next = this.#after(from + (KIND_WORDS[two] === undefined ? 1 : 2), "concurrently");
    const name = this.#after(next, "if", "exists", "only");
    const [kind] = kinds;
    if (kind === "trigger" || kind === "policy" || kind === "constraint") {
      const own = this.#path(name);
      const on = own !== undefined && this.#lower(own.next) === "on" ? own.next + 1 : undefined;
      const table = on === undefined ? undefined : this.#path(on);
      if (table !== undefined) this.#add(table, RELATIONS);
      if (own !== undefined) this.#add(own, kinds, table?.parts);
      return;
    }
    const isAltered = this.#lower(0) === "alter";
    // ALTER TABLE alters views and sequences too.
    this.#readList(name, isAltered && kind === "table" ? ANY_RELATION : kinds);
    if (isAltered) this.#subject = this.#path(name)?.parts;
  }

  #readList(from: number, kinds: readonly ObjectKind[]): void {
    for (let path = this.#path(from); path !== undefined;) {
      const hasParameters = kinds === FUNCTIONS && this.#lower(path.next) === "(";
      const next = hasParameters ? this.#close(path.next) + 1 : path.next;
      this.#add({ ...path, text: path.text + this.#text(path.next, next) }, kinds);
      path = this.#lower(next) === "," ? this.#path(next + 1) : undefined;
    }
  }

  /** `table.column`, with a schema or without. */
  #readColumnPath(from: number): void {
    const path = this.#path(from);
    if (path === undefined || path.parts.length < 2) return;
    const table = path.parts.slice(0, -1);
    this.found.push({ kinds: RELATIONS, path: table, text: textWithoutLast(path.text) });
    this.#add({ ...path, parts: path.parts.slice(-1) }, ["column"], table);
  }

  #readCreated(): void {
    const isOn = ["index", "statistics", "trigger", "policy"].some((word) =>
      this.#tokens.slice(1, 5).some(({ lower }) => lower === word),
    );
    if (!isOn) {
      this.#readNew();
      return;
    }
    const on = this.#tokens.findIndex(({ lower, depth }) => lower === "on" && depth === 0);
    const isStatistics = this.#lower(1) === "statistics";
    const from = this.#tokens.findIndex(({ lower, depth }) => lower === "from" && depth === 0);
    const table = this.#path(this.#after((isStatistics ? from : on) + 1, "only"));
    if (on === -1 || table === undefined) return;
    this.#subject = table.parts;
    this.#add(table, RELATIONS);
    if (isStatistics) this.#readColumns(on + 1, from);
    else if (this.#tokens.slice(1, 3).some(({ lower }) => lower === "index")) {
      const open = this.#tokens.findIndex(({ text }, at) => at >= table.next && text === "(");
      if (open !== -1) this.#readColumns(open + 1, this.#close(open));
    }
  }

  /** A new object, of which only the schema can be missing. */
  #readNew(): void {
    const kind = this.#tokens.slice(0, 4).findIndex(({ lower }) => lower in KIND_WORDS);
    const path = this.#path(this.#after(kind + 1, "if", "not", "exists"));
    if (kind !== -1 && path !== undefined) this.#add(path, []);
  }

  /** GRANT SELECT (columns), UPDATE ON tables TO role. */
  #readGranted(): void {
    const on = this.#tokens.findIndex(({ lower, depth }) => lower === "on" && depth === 0);
    const word = KIND_WORDS[this.#lower(on + 1)];
    const table = this.#path(on + (word === undefined ? 1 : 2));
    if (on === -1 || table === undefined) return;
    this.#readList(on + (word === undefined ? 1 : 2), word ?? RELATIONS);
    for (const [index, { text }] of this.#tokens.slice(0, on).entries()) {
      if (text === "(") this.#readColumns(index + 1, this.#close(index), table.parts);
    }
  }

  /** Names in the clauses of a definition. */
  #readClause(index: number): void {
    const token = this.#tokens[index];
    if (token?.kind === "text") this.#readText(index, token);
    if (token?.kind !== "word") return;
    const [before, word, after] = [index - 1, index, index + 1].map((at) => this.#lower(at));
    if (word === "references") this.#readReference(index + 1);
    else if (COLUMN_LISTS.test(word ?? "") && after === "(") {
      this.#readColumns(index + 2, this.#close(index + 1));
    } else if (word === "constraint" && /^(?:drop|validate|alter|rename|on)$/.test(before ?? "")) {
      this.#readPart(this.#after(index + 1, "if", "exists"), "constraint");
    } else if (word === "trigger" && /^(?:enable|disable|always|replica)$/.test(before ?? "")) {
      this.#readPart(index + 1, "trigger");
    } else if (word === "on" && before === "cluster") this.#readPart(index + 1, "index");
    else if (word === "function" && before === "execute") {
      this.#readList(index + 1, ["trigger function"]);
    } else if (word === "partition" && /^(?:attach|detach)$/.test(before ?? "")) {
      this.#readList(index + 1, ["table"]);
    } else if (this.#lower(0) === "alter") this.#readAltered(index);
  }

  /** The column of an action of ALTER TABLE. */
  #readAltered(index: number): void {
    const token = this.#tokens[index];
    const isAction = /^(?:drop|alter|rename)$/.test(token?.lower ?? "") && token?.depth === 0;
    if (!isAction || this.#subject === undefined) return;
    const next = this.#after(index + 1, "column", "if", "exists");
    const word = this.#lower(next);
    const isOther = word === "constraint" || word === "to" || word === "value";
    // ALTER COLUMN x DROP DEFAULT.
    const isOfColumn =
      this.#lower(index) === "drop" && /^(?:default|not|identity|expression)$/.test(word);
    if (!isOther && !isOfColumn) this.#readColumns(next, next + 1);
  }

  /** REFERENCES table (columns). */
  #readReference(from: number): void {
    const path = this.#path(from);
    if (path === undefined) return;
    this.#add(path, ["table"]);
    if (this.#lower(path.next) !== "(") return;
    this.#readColumns(path.next + 1, this.#close(path.next), path.parts);
  }

  /** A text that a sequence function or a cast reads as a name. */
  #readText(index: number, { text }: CodeToken): void {
    const path = text.slice(1, -1).split(".");
    const isCast = this.#tokens[index + 1]?.text === "::" && this.#lower(index + 2) === "regclass";
    const isSequence =
      this.#lower(index - 1) === "(" && /^(?:nextval|currval|setval)$/.test(this.#lower(index - 2));
    if (!/^'[\w.]+'$/.test(text) || (!isCast && !isSequence)) return;
    this.found.push({ kinds: isCast ? ANY_RELATION : ["sequence"], path, text, isText: true });
  }

  #readPart(at: number, kind: ObjectKind): void {
    const path = this.#path(at);
    if (path !== undefined && this.#subject !== undefined) this.#add(path, [kind], this.#subject);
  }

  /** The columns of a list, without those in expressions. */
  #readColumns(from: number, to: number, table = this.#subject): void {
    if (table === undefined) return;
    for (let index = from; index < to; index += 1) {
      const before = this.#tokens[index - 1];
      const path = index === from || before?.text === "," ? this.#path(index) : undefined;
      if (path === undefined || path.parts.length > 1) continue;
      if (this.#lower(path.next) !== "(") this.#add(path, ["column"], table);
    }
  }

  #add({ parts, text }: Path, kinds: NamedObject["kinds"], table?: readonly string[]): void {
    this.found.push({ kinds, path: parts, text, ...(table === undefined ? {} : { table }) });
  }

  #path(from: number): Path | undefined {
    const parts: string[] = [];
    for (let index = from; isName(this.#tokens[index]); index += 2) {
      parts.push(this.#read(this.#tokens[index]));
      if (this.#tokens[index + 1]?.text === ".") continue;
      const text = this.#tokens.slice(from, index + 1).map((token) => token.text);
      return { parts, text: text.join(""), next: index + 1 };
    }
    return undefined;
  }

  /** A name as the engine reads it. */
  #read(token: CodeToken | undefined): string {
    if (token?.kind === "name") return token.text.slice(1, -1).replaceAll('""', '"');
    return (this.#dialect === "postgres" ? token?.lower : token?.text) ?? "";
  }

  /** The place after words that may stand there. */
  #after(from: number, ...words: readonly string[]): number {
    let index = from;
    while (words.includes(this.#lower(index))) index += 1;
    return index;
  }

  /** The text of these tokens, with a blank between words. */
  #text(from: number, to: number): string {
    const tokens = this.#tokens.slice(from, to);
    const isWord = ({ kind }: CodeToken): boolean => kind !== "symbol";
    return tokens
      .map((token, index) => {
        const before = tokens[index - 1];
        return (before && isWord(before) && isWord(token) ? " " : "") + token.text;
      })
      .join("");
  }

  #close(open: number): number {
    return closeOf(this.#tokens, open);
  }

  /** A word or sign, in lower case; empty for a quoted name. */
  #lower(index: number): string {
    const token = this.#tokens[index];
    return token === undefined || token.kind === "name" ? "" : token.lower;
  }
}

function textWithoutLast(path: string): string {
  return path.slice(0, path.lastIndexOf("."));
}
