import type { Token } from "@steward/schema/sql";
import type { Dialect } from "../../governance/index.js";
import type { Bind, CompiledStatement, OutputRef } from "./compiled-statement.js";
import { refuseConstantItems } from "./constant-items.js";
import { cutLiteral, type LiteralPart } from "./literal.js";
import {
  badPlaceholder,
  findPlaceholder,
  misplacedPlaceholder,
  parsePlaceholder,
} from "./placeholder.js";
import { tokenize } from "./sql-text.js";
import { sqliteMembers, sqliteText, sqliteValue } from "./sqlite-parameter.js";

/**
 * Compiles a template (Decision §5). The text of the result depends on the template alone: whatever
 * a step's output holds can only ever be a value.
 *
 * | a placeholder | SQLite | PostgreSQL |
 * | --- | --- | --- |
 * | for a scalar | `CASE typeof(?1) WHEN 'blob' THEN ?1 ELSE ?1 ->> '$' END` | `$1`, of the value's type |
 * | for the whole output or a row | `?1`, JSON text | `$1::jsonb` |
 * | with `[*]`, alone in `IN (…)` | `SELECT CASE type WHEN 'object' THEN unhex(value ->> 'blob') ELSE value END FROM json_each(?1)` | `= ANY ($1)`, `<> ALL ($1)` for NOT IN; an array of the values' type |
 * | with `[*]`, alone in `ANY (…)` or `ALL (…)` | | `$1`, such an array |
 * | with `[*]`, elsewhere | `?1`, JSON text | `$1::jsonb` |
 * | that is a whole literal | `(?1 ->> '$')` | `$1`, typed by what stands around it, as the literal would be |
 * | in a literal: `'Dear {{…}}!'` | `('Dear ' \|\| (?1 ->> '$') \|\| '!')` | `('Dear ' \|\| $1::text \|\| '!')` |
 * | in a dollar-quoted literal: `$q$Dear {{…}}!$q$` | | as in a literal |
 * | in a literal after its type: `interval '{{…}} days'` | | `($1::text \|\| ' days')::interval` |
 *
 * A parameter of SQLite is JSON, from which the statement itself takes the value: to JavaScript 4.0 and
 * 4 are one number, and the driver ends a text at its NUL. On PostgreSQL the target declares the parameters'
 * types. Text is declared only where nothing around it has a type, so that `date_column = {{…}}`
 * reads it as the date that it is.
 *
 * @throws AppError `BAD_PLACEHOLDER`, without a field: the caller knows which step it is.
 */
export function compileTemplate(template: string, dialect: Dialect): CompiledStatement {
  // Most statements bind nothing, and cutting a long one into tokens takes tens of milliseconds.
  if (!MAY_BIND[dialect].test(template)) return { sql: template, binds: [] };
  return new TemplateCompiler(tokenize(template, dialect), dialect).compile();
}

/** What a template with a placeholder, or with a bind parameter of its own, contains. */
const MAY_BIND: Readonly<Record<Dialect, RegExp>> = {
  sqlite: /\{\{|[?:@$#]/,
  postgres: /\{\{|\$/,
};

/** The meaning of the parentheses directly around a placeholder. */
type Surroundings = "in_list" | "part_of_in_list" | "array_operand" | "elsewhere";

/** Words after `IN (` that start a subquery. */
const SUBQUERY_WORDS: ReadonlySet<string> = new Set(["select", "with", "values"]);
/** PostgreSQL's operators on an array in parentheses. */
const ARRAY_WORDS: ReadonlySet<string> = new Set(["any", "some", "all"]);
/** Words before a whole condition. */
const CONDITION_WORDS: ReadonlySet<string> = new Set(["where", "having", "on"]);
/** Types that PostgreSQL allows before a literal instead of a cast. */
const LITERAL_TYPES: ReadonlySet<string> = new Set(
  "date time timetz timestamp timestamptz interval json jsonb uuid".split(" "),
);
/** Characters that would merge with an adjacent parameter. */
const NAME_CHARACTER = /[\w$\x80-\uffff]/;
/**
 * The same for the character before a parameter, including those that would turn the following word
 * into a parameter.
 */
const PARAMETER_CHARACTER = /[\w$:@#?\x80-\uffff]/;

class TemplateCompiler {
  readonly #dialect: Dialect;
  /** The output text of each token of the template. */
  readonly #texts: string[];
  readonly #tokens: readonly Token[];
  /** Indexes of the tokens that are code for the engine. */
  readonly #code: number[] = [];
  readonly #binds: Bind[] = [];
  /** Parameters that can be reused, by their reference. */
  readonly #shared = new Map<string, string>();
  /** Positions in `#code` of the currently open parentheses. */
  readonly #open: number[] = [];

  constructor(tokens: readonly Token[], dialect: Dialect) {
    this.#dialect = dialect;
    this.#texts = tokens.map((token) => token.text);
    this.#tokens = tokens;
    for (const [index, token] of tokens.entries()) {
      if (token.type === "comment") refusePlaceholderIn(token, "a comment");
      else if (token.type !== "blank") this.#code.push(index);
    }
  }

  compile(): CompiledStatement {
    refuseConstantItems(this.#code.flatMap((index) => this.#tokens[index] ?? []));
    for (let at = 0; at < this.#code.length; at += 1) this.#compileToken(at);
    return { sql: this.#texts.join(""), binds: this.#binds };
  }

  #compileToken(at: number): void {
    const token = this.#token(at);
    switch (token?.type) {
      case "sign":
        if (token.text === "(") this.#open.push(at);
        if (token.text === ")") this.#open.pop();
        return;
      case "markup":
        this.#write(at, this.#inCode(parsePlaceholder(token.text), token.text, at));
        return;
      case "string":
      case "escape_string":
      case "dollar_string":
      case "opaque_string":
        this.#compileLiteral(token, at);
        return;
      case "name":
        refusePlaceholderIn(token, "a quoted name; names cannot be parameters");
        return;
      case "parameter":
        // `value::type` of another dialect is no parameter, and the parser says what to write.
        if (this.#dialect === "sqlite" && this.#token(at - 1)?.text === ":") return;
        throw badPlaceholder(
          token.text,
          "is a bind parameter, to which no value is bound: values come from {{step.<step_id>.output…}}",
        );
      case "word":
      case "number":
      case "blank":
      case "comment":
      case undefined:
        return;
    }
  }

  #inCode(ref: OutputRef, markup: string, at: number): string {
    const before = this.#word(at - 1);
    if (before === "in") {
      throw badPlaceholder(markup, `stands without parentheses: write IN (${markup})`);
    }
    if (this.#dialect === "sqlite" && CONDITION_WORDS.has(before) && this.#endsCondition(at + 1)) {
      throw badPlaceholder(
        markup,
        "is one value and no condition, and SQLite takes a text for false; write a comparison, such as column = {{…}}",
      );
    }
    const surroundings = this.#surroundings(at);
    if (isRows(ref)) {
      if (isInList(surroundings)) {
        throw badPlaceholder(markup, "is whole rows; in IN (…) name a column: output[*].<column>");
      }
      return this.#json({ ...ref, form: "value" });
    }
    if (!isList(ref)) return this.#scalar(ref);
    switch (surroundings) {
      case "in_list":
        if (this.#dialect === "sqlite") {
          return sqliteMembers(this.#parameter({ ...ref, form: "members" }));
        }
        this.#compareWithArray(at - 2);
        return this.#parameter({ ...ref, form: "array" });
      case "array_operand":
        return this.#parameter({ ...ref, form: "array" });
      case "part_of_in_list":
        throw badPlaceholder(markup, "is a list and must stand alone in the parentheses of IN (…)");
      case "elsewhere":
        return this.#json({ ...ref, form: "list" });
    }
  }

  /** Whether the condition has no further part. */
  #endsCondition(at: number): boolean {
    const token = this.#token(at);
    return token === undefined || /^(?:\)|;|group|order|limit|join|where|union)$/i.test(token.text);
  }

  #surroundings(at: number): Surroundings {
    const open = this.#open.at(-1);
    if (open === undefined) return "elsewhere";
    const alone = open === at - 1 && this.#token(at + 1)?.text === ")";
    const before = this.#word(open - 1);
    if (before === "in") {
      if (alone) return "in_list";
      return SUBQUERY_WORDS.has(this.#word(open + 1)) ? "elsewhere" : "part_of_in_list";
    }
    const takesArray = this.#dialect === "postgres" && alone && ARRAY_WORDS.has(before);
    return takesArray ? "array_operand" : "elsewhere";
  }

  /**
   * Rewrites the `IN` at a position as a comparison with an array. PostgreSQL infers the type of a
   * list parameter only in this form.
   */
  #compareWithArray(at: number): void {
    const negated = this.#word(at - 1) === "not";
    if (negated) this.#write(at - 1, "<>");
    this.#write(at, negated ? "ALL" : "= ANY");
  }

  #compileLiteral(token: Token, at: number): void {
    const parts = cutLiteral(token);
    if (parts === undefined) return;
    if (isInList(this.#surroundings(at)) && parts.some(isJsonPart)) {
      throw badPlaceholder(token.text, "is one text; a list in IN (…) stands without quotes");
    }
    const type = this.#dialect === "postgres" ? this.#word(at - 1) : "";
    const cast = LITERAL_TYPES.has(type) ? `::${type}` : "";
    if (cast !== "") this.#write(at - 1, "");
    const [first] = parts;
    const whole = parts.length === 1 && first?.kind === "placeholder";
    const text = whole
      ? this.#text(first.ref, "")
      : `(${parts.map((part) => (part.kind === "literal" ? part.sql : this.#text(part.ref, "::text"))).join(" || ")})`;
    this.#write(at, `${text}${cast}`);
  }

  #scalar(ref: OutputRef): string {
    const parameter = this.#parameter({ ...ref, form: "value" });
    return this.#dialect === "sqlite" ? sqliteValue(parameter) : parameter;
  }

  /** @param postgresCast set when the text is only a part of a literal. */
  #text(ref: OutputRef, postgresCast: string): string {
    const parameter = this.#parameter({ ...ref, form: "text" }, postgresCast);
    return this.#dialect === "sqlite" && !isJson(ref) ? sqliteText(parameter) : parameter;
  }

  #json(bind: Bind): string {
    return this.#parameter(bind, "::jsonb");
  }

  /**
   * The parameter for a value. PostgreSQL infers a parameter's type from its first use, so there
   * only a parameter with a cast may be reused.
   */
  #parameter(bind: Bind, postgresCast = ""): string {
    const key = JSON.stringify([bind, postgresCast]);
    const shared = this.#shared.get(key);
    if (shared !== undefined) return shared;
    const number = String(this.#binds.push(bind));
    const sqlite = this.#dialect === "sqlite";
    const text = sqlite ? `?${number}` : `$${number}${postgresCast}`;
    if (sqlite || postgresCast !== "") this.#shared.set(key, text);
    return text;
  }

  /** Replaces a token's text, separated by a space from an adjacent name or number. */
  #write(at: number, text: string): void {
    const index = this.#code[at] ?? -1;
    const before = PARAMETER_CHARACTER.test(this.#texts[index - 1]?.at(-1) ?? "") ? " " : "";
    const behind = NAME_CHARACTER.test(this.#texts[index + 1]?.at(0) ?? "") ? " " : "";
    this.#texts[index] = `${before}${text}${behind}`;
  }

  /** The token at a position in the code. */
  #token(at: number): Token | undefined {
    return this.#tokens[this.#code[at] ?? -1];
  }

  /** The word at a position, in lower case; empty when the token is not a word. */
  #word(at: number): string {
    const token = this.#token(at);
    return token?.type === "word" ? token.text.toLowerCase() : "";
  }
}

function refusePlaceholderIn(token: Token, place: string): void {
  const start = findPlaceholder(token.text);
  if (start !== undefined) throw misplacedPlaceholder(token.text, start, `stands in ${place}`);
}

/** Whether the value is one member of a list of values to compare with. */
function isInList(surroundings: Surroundings): boolean {
  return surroundings === "in_list" || surroundings === "part_of_in_list";
}

/** Whether a part of a literal is certainly JSON. */
function isJsonPart(part: LiteralPart): boolean {
  return part.kind === "placeholder" && isJson(part.ref);
}

/** Whether the value is certainly JSON. */
function isJson(ref: OutputRef): boolean {
  return isList(ref) || isRows(ref);
}

/** Whether the value is a list with one value for each row or element. */
function isList(ref: OutputRef): boolean {
  return ref.path.some(({ kind }) => kind === "each");
}

/** Whether the value is the whole output or a whole row. */
function isRows({ path }: OutputRef): boolean {
  return path.length === 0 || (path.length === 1 && path[0]?.kind !== "member");
}
