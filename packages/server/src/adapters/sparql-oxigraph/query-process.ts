import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { AppError } from "../../kernel/errors.js";
import { errorOf } from "../../kernel/worker-protocol.js";
import {
  CorruptedBlock,
  type Hash,
  type QueryAnswer,
  type StoredDataset,
} from "../../state/index.js";
import {
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

/** What a process is asked, and who waits for it. */
interface Question {
  readonly dataset: StoredDataset;
  readonly timeoutMs: number;
  timer?: NodeJS.Timeout;
  readonly resolve: (answer: QueryAnswer) => void;
  readonly reject: (error: unknown) => void;
  /** What went wrong on this side: that, and not what the process makes of it, is told. */
  failure?: unknown;
}

/** A process that answers queries, from outside. It takes one at a time. */
export class QueryProcess {
  hasEnded = false;
  /** The dataset that it was asked last. */
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
    // An empty environment: nothing that a query could ever reach holds the server's secrets.
    this.#process = spawn(
      process.execPath,
      [`--max-old-space-size=${heap}`, CHILD_FILE, JSON.stringify(told)],
      { stdio: ["pipe", "pipe", "ignore"], env: {} },
    );
    // A broken pipe means that the process is gone, which `close` tells.
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
   * @param timeoutMs how long it may take once the process is up.
   * @throws AppError as the process says, `DEADLINE_EXCEEDED`, or `LIMIT_EXCEEDED` when it has ended.
   */
  async query(dataset: StoredDataset, sparql: string, timeoutMs: number): Promise<QueryAnswer> {
    this.root = dataset.roots.spog;
    try {
      return await new Promise<QueryAnswer>((resolve, reject) => {
        this.#question = { dataset, timeoutMs, resolve, reject };
        this.#startTimer();
        this.#say({ kind: "query", request: { roots: dataset.roots, sparql } });
      });
    } finally {
      clearTimeout(this.#question?.timer);
      this.#question = undefined;
    }
  }

  /** Stops it, whatever it does. */
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
      case "answered":
        question.resolve(message.answer);
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
      "Ask for less: name more terms in its patterns, or leave out ORDER BY and DISTINCT";
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
  return new AppError("DEADLINE_EXCEEDED", `The query took more than ${seconds} s: ask for less`);
}

/** Cuts a stream of bytes into messages. */
class MessageReader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #wanted: number = HEAD_BYTES;

  *push(chunk: Buffer): Generator<ToProcess | FromProcess> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // A long message's chunks are joined once, not once for each.
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
