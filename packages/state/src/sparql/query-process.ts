import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { AppError } from "@steward/kernel/errors.js";
import { errorOf } from "@steward/kernel/concurrency/worker-protocol.js";
import { CorruptedBlock, type Hash } from "../index.js";
import type { QueryAnswer, StoredDataset } from "../ports.js";
import { answerOfMessages } from "./answer-messages.js";
import {
  type AnswerRows,
  decodeMessage,
  encodeMessage,
  type FromProcess,
  HEAD_BYTES,
  payloadLength,
  type ProcessSettings,
  type ToProcess,
} from "./query-protocol.js";

const CHILD_FILE = fileURLToPath(new URL("./child/sparql-child.js", import.meta.url));
const MEBIBYTE = 1024 * 1024;

/** The pending query. */
interface Question {
  readonly dataset: StoredDataset;
  readonly timeoutMs: number;
  timer?: NodeJS.Timeout;
  /** The rows of its answer that have arrived. */
  readonly rows: AnswerRows[number][];
  readonly resolve: (answer: QueryAnswer) => void;
  readonly reject: (error: unknown) => void;
  /**
   * An error on the server's side. It is reported instead of the error that it causes in the
   * process.
   */
  failure?: unknown;
}

/** A child process that evaluates queries, one at a time, as seen by the server. */
export class QueryProcess {
  hasEnded = false;
  /** The dataset of the last query. */
  root: Hash | undefined;
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #settings: Omit<ProcessSettings, "serverPid">;
  readonly #messages = new MessageReader();
  readonly #closed: Promise<void>;
  #isReady = false;
  #question: Question | undefined;

  constructor(settings: Omit<ProcessSettings, "serverPid">) {
    this.#settings = settings;
    const told: ProcessSettings = { ...settings, serverPid: process.pid };
    const heap = Math.floor(settings.memoryBytesMax / MEBIBYTE);
    // The environment is empty, so that a query which compromises the process finds no secrets of
    // the server.
    this.#process = spawn(
      process.execPath,
      [`--max-old-space-size=${heap}`, CHILD_FILE, JSON.stringify(told)],
      { stdio: ["pipe", "pipe", "ignore"], env: {} },
    );
    // A broken pipe means that the process has died, which `close` reports.
    this.#process.stdin.on("error", () => undefined);
    this.#process.stdout.on("data", (chunk: Buffer) => {
      for (const message of this.#messages.push(chunk)) this.#hear(message as FromProcess);
    });
    this.#closed = new Promise((resolve) => {
      const onEnd = (cause?: unknown): void => {
        this.#onEnd(cause);
        resolve();
      };
      this.#process.once("close", () => onEnd()).once("error", onEnd);
    });
  }

  /**
   * @param timeoutMs time limit after the process has started.
   * @throws AppError of the process; `DEADLINE_EXCEEDED`; `LIMIT_EXCEEDED` when the process died.
   */
  async query(dataset: StoredDataset, sparql: string, timeoutMs: number): Promise<QueryAnswer> {
    this.root = dataset.roots.spog;
    try {
      return await new Promise<QueryAnswer>((resolve, reject) => {
        this.#question = { dataset, timeoutMs, rows: [], resolve, reject };
        this.#startTimer();
        this.#say({ kind: "query", request: { roots: dataset.roots, sparql } });
      });
    } finally {
      clearTimeout(this.#question?.timer);
      this.#question = undefined;
    }
  }

  /** Kills the process. */
  async end(): Promise<void> {
    this.hasEnded = true;
    this.#process.kill("SIGKILL");
    await this.#closed;
  }

  #say(message: ToProcess): void {
    if (!this.hasEnded) this.#process.stdin.write(encodeMessage(message));
  }

  #startTimer(): void {
    const question = this.#question;
    if (question === undefined || !this.#isReady) return;
    question.timer = setTimeout(() => {
      question.failure = overdue(question.timeoutMs);
      void this.end();
    }, question.timeoutMs);
  }

  #hear(message: FromProcess): void {
    if (message.kind === "ready") {
      this.#isReady = true;
      this.#startTimer();
      return;
    }
    const question = this.#question;
    if (question === undefined) return;
    switch (message.kind) {
      case "need":
        this.#say(blockFor(question, message.hash));
        return;
      case "rows":
        for (const row of message.rows) question.rows.push(row);
        return;
      case "answered":
        question.resolve(answerOfMessages(question.rows as AnswerRows, message.answer));
        return;
      case "failed":
        question.reject(question.failure ?? errorOf(message.failure));
    }
  }

  #onEnd(cause: unknown): void {
    this.hasEnded = true;
    const mebibytes = this.#settings.memoryBytesMax / MEBIBYTE;
    const message =
      `The query's process has ended: a query may need ${mebibytes} MiB of memory at most. ` +
      "Request less: name more terms in its patterns, or leave out ORDER BY and DISTINCT";
    const failure = this.#question?.failure;
    this.#question?.reject(failure ?? new AppError("LIMIT_EXCEEDED", message, { cause }));
  }
}

function blockFor(question: Question, hash: Hash): ToProcess {
  try {
    const bytes = question.dataset.blocks.get(hash);
    if (bytes !== undefined) return { kind: "block", bytes };
    question.failure ??= new CorruptedBlock(hash, "missing");
  } catch (error) {
    question.failure ??= error;
  }
  return { kind: "no block" };
}

function overdue(timeoutMs: number): AppError {
  const seconds = timeoutMs / 1000;
  return new AppError("DEADLINE_EXCEEDED", `The query took more than ${seconds} s: request less`);
}

/** Splits a stream of bytes into messages. */
class MessageReader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #wanted: number = HEAD_BYTES;

  *push(chunk: Buffer): Generator<ToProcess | FromProcess> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // The chunks of a long message are joined once, at its end.
    if (this.#bytes < this.#wanted) return;
    let bytes = Buffer.concat(this.#chunks);
    this.#wanted = HEAD_BYTES;
    while (bytes.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + payloadLength(bytes);
      if (bytes.length < end) {
        this.#wanted = end;
        break;
      }
      const message = decodeMessage(bytes, bytes.subarray(HEAD_BYTES, end));
      bytes = bytes.subarray(end);
      if (message !== undefined) yield message;
    }
    this.#chunks = [bytes];
    this.#bytes = bytes.length;
  }
}
