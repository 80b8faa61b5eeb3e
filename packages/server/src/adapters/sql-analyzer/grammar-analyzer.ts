import type { SqlSyntax } from "@steward/schema/sql";
import type { Dialect, Intent, SqlAnalyzer, StatementAnalysis } from "../../governance/index.js";
import { assert } from "@steward/kernel/assert.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import { analyzeOnly, nulRejection, rejected, type Rejection } from "./one-statement.js";
import { adviceAfter } from "./repair/advice.js";
import { describeSyntaxError } from "./repair/syntax-hint.js";

/** Number of cached analyses. The same templates are submitted, and then run, again and again. */
const ANALYSES_KEPT_MAX = 1000;
/** Length of the longest cached statement, in characters. It bounds the memory of the cache. */
const KEPT_LENGTH_MAX = 4096;

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

/** Analyzes statements of one dialect with its grammar; supports no other dialect. */
export class GrammarAnalyzer<Statement> implements SqlAnalyzer {
  readonly #dialect: Dialect;
  readonly #syntax: SqlSyntax<Statement>;
  readonly #judge: (statement: Statement) => Judgement;
  /** Cached analyses by statement text. */
  readonly #analyses = new RecentMap<StatementAnalysis>(ANALYSES_KEPT_MAX);

  /** @param judge decides the class of one statement, or why no intent allows it. */
  constructor(
    dialect: Dialect,
    syntax: SqlSyntax<Statement>,
    judge: (statement: Statement) => Judgement,
  ) {
    this.#dialect = dialect;
    this.#syntax = syntax;
    this.#judge = judge;
  }

  analyze(sql: string, dialect: Dialect): StatementAnalysis {
    assert(dialect === this.#dialect, "each dialect has its own analyzer");
    if (!this.#syntax.isReady) return rejected("unparsable", TOO_DEEP);
    return sql.length > KEPT_LENGTH_MAX
      ? this.#analyze(sql)
      : this.#analyses.getOrMake(sql, () => this.#analyze(sql));
  }

  advise(sql: string, dialect: Dialect, failure: string): readonly string[] {
    return adviceAfter(failure, { sql, dialect, errorOf: this.#errorOf });
  }

  #analyze(sql: string): StatementAnalysis {
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
          const { changes, isReturning, ...known } = judged;
          const tables = this.#syntax.tables(statement);
          const { statementClass } = known;
          // An INSERT that names no other table returns only what it brought.
          const isOnlyInsert = changes.join() === "write_insert" && tables.length < 2;
          const reads = isReturning && !isOnlyInsert ? (["read_select"] as const) : [];
          return { ...known, kinds: [...new Set([statementClass, ...changes, ...reads])], tables };
        });
    }
  }

  /** The position at which the parser stops; `undefined` when it accepts the text. */
  readonly #errorOf = (sql: string): number | undefined => {
    if (!this.#syntax.isReady) return 0;
    const parsed = this.#syntax.parse(sql);
    if (parsed.kind === "parsed") return undefined;
    return parsed.kind === "too_deep" ? 0 : parsed.at;
  };
}
