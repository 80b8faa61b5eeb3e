import { setImmediate as turn } from "node:timers/promises";
import { parentPort } from "node:worker_threads";
import type { SqlAnalyzer } from "../../governance/index.js";
import { assert } from "../../kernel/assert.js";
import type { ReadingReply, ReadingRequest } from "./reading-protocol.js";
import { SqliteAnalyzer } from "./sqlite-analyzer.js";

/** Reads statements, one after the other, apart from the server's event loop. */
const port = parentPort;
assert(port !== null, "this is a thread");

const sqlite = new SqliteAnalyzer();
let postgres: Promise<SqlAnalyzer> | undefined;
let last: Promise<unknown> = Promise.resolve();

port.on("message", (request: ReadingRequest) => {
  last = last.then(() => answer(request));
});

async function answer({ id, sql, dialect }: ReadingRequest): Promise<void> {
  const analyzer = dialect === "sqlite" ? sqlite : await (postgres ??= loadPostgres());
  const reply: ReadingReply = { id, analysis: analyzer.analyze(sql, dialect) };
  port?.postMessage(reply);
  // A parser that the statement has broken is replaced before the next one is read.
  await turn();
}

async function loadPostgres(): Promise<SqlAnalyzer> {
  const { PostgresAnalyzer } = await import("./postgres-analyzer.js");
  return PostgresAnalyzer.load();
}
