import { writeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { assert } from "@steward/kernel/assert.js";
import { systemClock } from "@steward/kernel/clock.js";
import type { AttemptRef, StatementPreview, StatementResult } from "../../../plans/ports.js";
import { encodeFrame, FrameDecoder } from "../frames.js";
import { withoutRows } from "../../sql-target/result-rows.js";
import type {
  ChildNotice,
  ChildReply,
  ChildRequest,
  ChildSettings,
  StatementDescription,
} from "../protocol.js";
import { AgentConnection } from "./agent-connection.js";
import { openDataSource } from "./connection.js";
import { toStatementError } from "./failure.js";
import { ReadSession } from "./read-session.js";
import type { SchemaWatch } from "./schema-watch.js";
import { WriteSession } from "./write-session.js";

/**
 * A child process that runs agents' statements. SQLite cannot reliably interrupt a statement, so a
 * runaway statement is stopped by killing its process. Requests arrive on standard input; responses
 * are written to standard output in the same order.
 */
const [, , told] = process.argv;
assert(told !== undefined, "the settings are given");
// The server uses the same protocol.
const settings = JSON.parse(told) as ChildSettings;
const { role, path, parentPid } = settings;

const answer = role === "reader" ? readerOf(path) : writerOf(path);
const frames = new FrameDecoder();
const waiting: ChildRequest[] = [];
const dropped = new Set<number>();
const forgotten: AttemptRef[] = [];
let schemaWatch: SchemaWatch | undefined;

process.stdin.on("data", (chunk: Buffer) => {
  const isIdle = waiting.length === 0;
  // The server uses the same protocol.
  for (const frame of frames.push(chunk))
    hear(JSON.parse(frame.head) as ChildRequest | ChildNotice);
  if (isIdle) work();
});
process.stdin.on("end", () => process.exit(0));
say({ kind: "ready" });
// A separate thread, because this one does not notice the end of its input while a statement runs.
new Worker(new URL("./watch-worker.js", import.meta.url), {
  workerData: settings,
  stdout: true,
  stderr: true,
});

function hear(message: ChildRequest | ChildNotice): void {
  if ("task" in message) waiting.push(message);
  else if (message.kind === "forget") forgotten.push(...message.attempts);
  else for (const id of message.ids) dropped.add(id);
}

/**
 * Duration in ms after which requests queued behind a statement may have been cancelled meanwhile.
 */
const SLOW_STATEMENT_MS = 10;

function work(): void {
  const startedAt = performance.now();
  for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) {
    if (schemaWatch === undefined && mayChangeSchema(request)) {
      waiting.unshift(request);
      void loadSchemaWatch();
      return;
    }
    handle(request);
    if (performance.now() - startedAt > SLOW_STATEMENT_MS) {
      // The first immediate may run before standard input is polled; the second does not.
      setImmediate(() => setImmediate(work));
      return;
    }
  }
  dropped.clear();
}

function mayChangeSchema({ task }: ChildRequest): boolean {
  return task.kind === "write" && task.statement.statementClass === "admin";
}

/**
 * Imported on demand, because the code that compares schemas is large and few statements change a
 * schema.
 */
async function loadSchemaWatch(): Promise<void> {
  ({ watchSchema: schemaWatch } = await import("./schema-watch.js"));
  work();
}

function handle(request: ChildRequest): void {
  if (dropped.delete(request.id)) {
    say({ kind: "dropped", id: request.id });
    return;
  }
  try {
    answer(request);
  } catch (error) {
    const { reason, message, hints } = toStatementError(error);
    say({ kind: "failed", id: request.id, failure: { reason, message, hints } });
  }
}

type Answer = (request: ChildRequest) => void;

function readerOf(dataSource: string): Answer {
  let session: ReadSession | undefined;
  return ({ id, task }) => {
    assert(task.kind === "read" || task.kind === "describe", "a reader only reads");
    // Opened by the first request, so that the request gets the error.
    session ??= new ReadSession(new AgentConnection(openDataSource(dataSource, "reader")));
    if (task.kind === "read") sayResult(id, session.read(task.statement));
    else sayJson(id, session.describe(task.statement));
  };
}

function writerOf(dataSource: string): Answer {
  let session: WriteSession | undefined;
  return ({ id, task }) => {
    assert(task.kind !== "read" && task.kind !== "describe", "a writer does not read");
    session ??= new WriteSession(openDataSource(dataSource, "writer"), systemClock, () => {
      assert(schemaWatch !== undefined, "it is loaded before it is needed");
      return schemaWatch;
    });
    exitIfOrphaned();
    if (task.kind === "write") {
      sayResult(
        id,
        session.write(task, forgotten, () => announceCommit(id)),
      );
      forgotten.length = 0;
      return;
    }
    if (task.kind === "preview") {
      sayJson(id, session.preview(task));
      return;
    }
    if (task.kind === "delete_markers") {
      session.deleteMarkers(task.orgId, task.planIds);
      say({ kind: "fenced", id });
      return;
    }
    const result = session.settle(task.attempt);
    if (result === undefined) say({ kind: "fenced", id });
    else sayResult(id, result);
  };
}

/** An orphaned process must not commit, because another server may have settled its attempts. */
function announceCommit(id: number): void {
  exitIfOrphaned();
  say({ kind: "committing", id });
}

function exitIfOrphaned(): void {
  if (process.ppid !== parentPid) process.exit(0);
}

function sayResult(id: number, { outputJson, ...result }: StatementResult): void {
  say({ kind: "result", id, result }, outputJson);
}

function sayJson(id: number, answered: StatementDescription | StatementPreview): void {
  const outputJson = JSON.stringify(answered);
  sayResult(id, { ...withoutRows(0), outputJson, schemaDeltas: [] });
}

/** Synchronous, so that a message has left this process before the next action. */
function say(reply: ChildReply, body = ""): void {
  const bytes = encodeFrame({ head: JSON.stringify(reply), body });
  for (let sent = 0; sent < bytes.length;) sent += writeSync(1, bytes, sent);
}
