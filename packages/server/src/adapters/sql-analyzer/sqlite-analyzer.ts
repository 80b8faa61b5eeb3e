import { SqliteSyntax, type Stmt } from "@steward/schema/sqlite-syntax";
import { GrammarAnalyzer, type Judgement } from "./grammar-analyzer.js";
import { rejected } from "./one-statement.js";
import { sqliteValues } from "./shape/sqlite-values.js";
import { forbiddenCall } from "./sqlite-tree.js";
import { changesOf, classifyStatement } from "./statement-class.js";

/** Analyzes statements with SQLite's own grammar; supports no other dialect. */
export class SqliteAnalyzer extends GrammarAnalyzer<Stmt> {
  constructor() {
    super("sqlite", new SqliteSyntax(), judge, sqliteValues);
  }
}

function judge(statement: Stmt): Judgement {
  const judged = classifyStatement(statement);
  if (judged.kind === "forbidden") return rejected("forbidden", judged.message);
  const called = forbiddenCall(statement);
  if (called !== undefined) return rejected("forbidden", `The function ${called} is not allowed`);
  const insertedColumns = columnsInserted(statement);
  return {
    ...{ ...judged, kind: "statement", ...changesOf(statement) },
    ...(insertedColumns === undefined ? {} : { insertedColumns }),
  };
}

function columnsInserted(statement: Stmt): readonly string[] | undefined {
  if (statement.type !== "InsertStmt") return undefined;
  return statement.columns?.map(({ text }) => text.toLowerCase());
}
