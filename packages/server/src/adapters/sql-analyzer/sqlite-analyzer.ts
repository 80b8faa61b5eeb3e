import { parse, type ParseDiagnostic, type Stmt } from "sqlite3-parser";
import type { Dialect, SqlAnalyzer, StatementAnalysis } from "../../governance/index.js";
import { assert } from "@steward/kernel/assert.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import { namedTables } from "./named-tables.js";
import { analyzeOnly, nulRejection, rejected } from "./one-statement.js";
import { adviceAfter } from "./repair/advice.js";
import { describeSyntaxError } from "./repair/syntax-hint.js";
import { forbiddenCall } from "./sqlite-tree.js";
import { classifyStatement } from "./statement-class.js";

/** Number of cached analyses. The same templates are submitted, and then run, again and again. */
const ANALYSES_KEPT_MAX = 1000;
/** Length of the longest cached statement, in characters. It bounds the memory of the cache. */
const KEPT_LENGTH_MAX = 4096;

/** Analyzes statements with SQLite's own grammar; supports no other dialect. */
export class SqliteAnalyzer implements SqlAnalyzer {
  /** Cached analyses by statement text. */
  readonly #analyses = new RecentMap<StatementAnalysis>(ANALYSES_KEPT_MAX);

  analyze(sql: string, dialect: Dialect): StatementAnalysis {
    assert(dialect === "sqlite", "each dialect has its own analyzer");
    return sql.length > KEPT_LENGTH_MAX
      ? analyzeSqlite(sql)
      : this.#analyses.getOrMake(sql, () => analyzeSqlite(sql));
  }

  advise(sql: string, dialect: Dialect, failure: string): readonly string[] {
    return adviceAfter(failure, { sql, dialect, errorOf });
  }
}

function analyzeSqlite(sql: string): StatementAnalysis {
  const unseen = nulRejection(sql);
  if (unseen !== undefined) return unseen;
  const parsed = parse(sql);
  if (parsed.status === "error") return rejected("unparsable", syntaxHint(sql, parsed.errors));
  return analyzeOnly(parsed.root.cmds, judge);
}

function judge(statement: Stmt): StatementAnalysis {
  const judged = classifyStatement(statement);
  if (judged.kind === "forbidden") return rejected("forbidden", judged.message);
  const called = forbiddenCall(statement);
  if (called !== undefined) return rejected("forbidden", `The function ${called} is not allowed`);
  const insertedColumns = columnsInserted(statement);
  return {
    ...{ ...judged, kind: "statement", tables: namedTables(statement) },
    ...(insertedColumns === undefined ? {} : { insertedColumns }),
  };
}

function columnsInserted(statement: Stmt): readonly string[] | undefined {
  if (statement.type !== "InsertStmt") return undefined;
  return statement.columns?.map(({ text }) => text.toLowerCase());
}

function syntaxHint(sql: string, [error]: readonly ParseDiagnostic[]): string {
  if (error === undefined) return "syntax error";
  return describeSyntaxError({
    sql,
    dialect: "sqlite",
    at: error.span.offset,
    message: error.message,
    parserHint: error.hints?.[0]?.message,
    errorOf,
  });
}

/** The position at which the parser stops; `undefined` when it accepts the text. */
function errorOf(sql: string): number | undefined {
  const parsed = parse(sql);
  return parsed.status === "error" ? (parsed.errors[0]?.span.offset ?? 0) : undefined;
}
