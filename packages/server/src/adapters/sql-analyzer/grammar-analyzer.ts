import type { SqlSyntax } from "@steward/schema/sql";
import type {
  Dialect,
  EngineRefusal,
  Intent,
  SqlAnalyzer,
  StatementAnalysis,
} from "../../governance/index.js";
import { assert } from "@steward/kernel/assert.js";
import { analyzeOnly, nulRejection, rejected, type Rejection } from "./one-statement.js";
import { adviceAfter } from "./repair/advice.js";
import { rewritesIn, sentenceOf } from "./repair/rewrites/rewrites.js";
import { describeSyntaxError } from "./repair/syntax-hint.js";
import { shapeWithout } from "./shape/statement-shape.js";

const TOO_DEEP = "The statement is nested too deeply to be analyzed";

/** An analysis without the tables that the statement names, which its syntax tells. */
export type Judgement =
  | (Omit<Extract<StatementAnalysis, { kind: "statement" }>, "tables" | "kinds"> & {
      /** The kinds beside the class, possibly with duplicates. */
      readonly changes: readonly Intent[];
      /** Whether a write returns rows. */
      readonly isReturning: boolean;
    })
  | Rejection;

/** The positions of the literals that are values, in UTF-16 units; all others are names. */
type ValuesIn<Statement> = (statement: Statement, sql: string) => ReadonlySet<number>;

/** Analyzes statements of one dialect with its grammar; supports no other dialect. */
export class GrammarAnalyzer<Statement> implements SqlAnalyzer {
  readonly #dialect: Dialect;
  readonly #syntax: SqlSyntax<Statement>;
  readonly #judge: (statement: Statement) => Judgement;
  readonly #valuesIn: ValuesIn<Statement>;

  /** @param judge decides the class of one statement, or why no intent allows it. */
  constructor(
    dialect: Dialect,
    syntax: SqlSyntax<Statement>,
    judge: (statement: Statement) => Judgement,
    valuesIn: ValuesIn<Statement>,
  ) {
    this.#dialect = dialect;
    this.#syntax = syntax;
    this.#judge = judge;
    this.#valuesIn = valuesIn;
  }

  analyze(sql: string, dialect: Dialect): StatementAnalysis {
    assert(dialect === this.#dialect, "each dialect has its own analyzer");
    if (!this.#syntax.isReady) return rejected("unparsable", TOO_DEEP);
    const unseen = nulRejection(sql);
    if (unseen !== undefined) return unseen;
    const parsed = this.#syntax.parse(sql);
    switch (parsed.kind) {
      case "too_deep":
        return rejected("unparsable", TOO_DEEP);
      case "syntax_error": {
        const { at, message, hint: parserHint } = parsed;
        const error = { sql, dialect: this.#dialect, at, message, parserHint };
        return rejected("unparsable", describeSyntaxError({ ...error, errorOf: this.#errorOf }));
      }
      case "parsed":
        return analyzeOnly(parsed.statements, (statement) => {
          const judged = this.#judge(statement);
          if (judged.kind === "rejected") return judged;
          const { changes, isReturning, ...rest } = judged;
          const known = this.#withRewrites(rest, sql);
          const tables = this.#syntax.tables(statement);
          const { statementClass } = known;
          // An INSERT that names no other table returns only what it brought.
          const isOnlyInsert = changes.join() === "write_insert" && tables.length < 2;
          const reads = isReturning && !isOnlyInsert ? (["read_select"] as const) : [];
          return { ...known, kinds: [...new Set([statementClass, ...changes, ...reads])], tables };
        });
    }
  }

  /** An unknown function of another dialect is told with the statement's own arguments. */
  #withRewrites<Known extends { readonly unknownFunction?: string }>(
    known: Known,
    sql: string,
  ): Known {
    const { unknownFunction } = known;
    if (unknownFunction === undefined) return known;
    const edits = rewritesIn(sql, this.#dialect);
    if (edits.length === 0) return known;
    const [missing = unknownFunction] = unknownFunction.split(";");
    return { ...known, unknownFunction: `${missing}. ${sentenceOf(edits)}` };
  }

  advise(sql: string, dialect: Dialect, refusal: EngineRefusal): readonly string[] {
    return adviceAfter(refusal, { sql, dialect, errorOf: this.#errorOf });
  }

  shape(sql: string, dialect: Dialect): string | undefined {
    assert(dialect === this.#dialect, "each dialect has its own analyzer");
    if (!this.#syntax.isReady || sql.includes("\0")) return undefined;
    const parsed = this.#syntax.parse(sql);
    if (parsed.kind !== "parsed") return undefined;
    const [statement, ...others] = parsed.statements;
    if (statement === undefined || others.length > 0) return undefined;
    return shapeWithout(this.#valuesIn(statement, sql), sql, dialect);
  }

  /** The position at which the parser stops; `undefined` when it accepts the text. */
  readonly #errorOf = (sql: string): number | undefined => {
    if (!this.#syntax.isReady) return 0;
    const parsed = this.#syntax.parse(sql);
    if (parsed.kind === "parsed") return undefined;
    return parsed.kind === "too_deep" ? 0 : parsed.at;
  };
}
