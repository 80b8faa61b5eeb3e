import { setImmediate as turn } from "node:timers/promises";
import type { SqlAnalyzer, StatementAnalysis } from "../../governance/index.js";
import { serveThread } from "@steward/kernel/concurrency/worker-thread.js";
import type { ReadingCalls } from "./reading-protocol.js";
import { SqliteAnalyzer } from "./sqlite-analyzer.js";

/** Analyzes statements one after the other, outside the server's event loop. */
const sqlite = new SqliteAnalyzer();
let postgres: Promise<SqlAnalyzer> | undefined;
let last: Promise<unknown> = Promise.resolve();

serveThread<ReadingCalls>({
  read: (statement) => {
    const analysis = last.then(() => read(statement));
    // Wait for the next turn, in which a parser broken by this statement is replaced.
    last = analysis.then(() => turn(), turn);
    return analysis;
  },
});

async function read({ sql, dialect }: ReadingCalls["read"]["input"]): Promise<StatementAnalysis> {
  const analyzer = dialect === "sqlite" ? sqlite : await (postgres ??= loadPostgres());
  return analyzer.analyze(sql, dialect);
}

async function loadPostgres(): Promise<SqlAnalyzer> {
  const { PostgresAnalyzer } = await import("./postgres-analyzer.js");
  return PostgresAnalyzer.load();
}
