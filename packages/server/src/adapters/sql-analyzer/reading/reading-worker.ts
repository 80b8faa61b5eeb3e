import { setImmediate as turn } from "node:timers/promises";
import type { Dialect, SqlAnalyzer } from "../../../governance/index.js";
import { serveThread } from "@steward/kernel/concurrency/worker-thread.js";
import type { ReadingCalls } from "./reading-protocol.js";
import { SqliteAnalyzer } from "../sqlite-analyzer.js";

/** Analyzes statements one after the other, outside the server's event loop. */
const sqlite = new SqliteAnalyzer();
let postgres: Promise<SqlAnalyzer> | undefined;
let last: Promise<unknown> = Promise.resolve();

serveThread<ReadingCalls>({
  read: ({ sql, dialect }) => inTurn(dialect, (analyzer) => analyzer.analyze(sql, dialect)),
  advise: ({ sql, dialect, refusal }) =>
    inTurn(dialect, (analyzer) => analyzer.advise(sql, dialect, refusal)),
  shape: ({ sql, dialect }) => inTurn(dialect, (analyzer) => analyzer.shape(sql, dialect)),
});

function inTurn<Answer>(
  dialect: Dialect,
  answer: (analyzer: SqlAnalyzer) => Answer,
): Promise<Answer> {
  const answered = last.then(async () =>
    answer(dialect === "sqlite" ? sqlite : await (postgres ??= loadPostgres())),
  );
  // Wait for the next turn, in which a parser broken by this statement is replaced.
  last = answered.then(() => turn(), turn);
  return answered;
}

async function loadPostgres(): Promise<SqlAnalyzer> {
  const { PostgresAnalyzer } = await import("../postgres-analyzer.js");
  return PostgresAnalyzer.load();
}
