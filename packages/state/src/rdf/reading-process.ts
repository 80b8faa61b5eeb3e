import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { AppError } from "@steward/kernel/errors.js";
import { STATE_DOCUMENT_BYTES_MAX } from "../limits.js";
import { errorOf, type Failure } from "@steward/kernel/concurrency/worker-protocol.js";
import type { RdfDocument, RdfFormat } from "../ports.js";
import { decodeDocument } from "./document-bytes.js";
import { headOf, type Message, MessageReader } from "./messages.js";

const CHILD_FILE = fileURLToPath(new URL("./child/rdf-child.js", import.meta.url));
const MEBIBYTE = 1024 * 1024;

/** A document's bytes, split anywhere. */
export type DocumentBytes = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** The pending request for a document. */
interface Reading {
  readonly resolve: (document: RdfDocument) => void;
  readonly reject: (error: unknown) => void;
}

/** A child process that parses documents, one at a time, as seen by the server. */
export class ReadingProcess {
  hasEnded = false;
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #memoryBytesMax: number;
  readonly #messages = new MessageReader();
  readonly #closed: Promise<void>;
  #reading: Reading | undefined;
  /** Whether the last document was sent completely. */
  #isSent = true;

  /** @param memoryBytesMax limit of its heap. */
  constructor(memoryBytesMax: number) {
    this.#memoryBytesMax = memoryBytesMax;
    const heap = `--max-old-space-size=${Math.floor(memoryBytesMax / MEBIBYTE)}`;
    // The environment is empty, so that a document which compromises the process finds no secrets
    // of the server.
    this.#process = spawn(process.execPath, [heap, CHILD_FILE, String(process.pid)], {
      stdio: ["pipe", "pipe", "ignore"],
      env: {},
    });
    // A broken pipe means that the process has died, which `close` reports.
    this.#process.stdin.on("error", () => undefined);
    this.#process.stdout.on("data", (chunk: Buffer) => {
      for (const message of this.#messages.push(chunk)) this.#hear(message);
    });
    this.#closed = new Promise((resolve) => {
      const onEnd = (cause?: unknown): void => {
        this.#fail(this.#outOfMemory(cause));
        resolve();
      };
      this.#process.once("close", () => onEnd()).once("error", onEnd);
    });
  }

  /**
   * @param content the document's bytes, consumed with backpressure.
   * @param timeoutMs time limit after the document was received.
   * @throws AppError of the parser; `LIMIT_EXCEEDED` after the time limit or when the process died;
   * errors of `content`.
   */
  async read(content: DocumentBytes, format: RdfFormat, timeoutMs: number): Promise<RdfDocument> {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<RdfDocument>((resolve, reject) => {
        const reading = { resolve, reject };
        this.#reading = reading;
        const onSent = (): void => {
          if (this.#reading !== reading) return;
          timer = setTimeout(() => void this.end(overdue(timeoutMs)), timeoutMs);
        };
        this.#send(content, format, reject).then(onSent, () => undefined);
      });
    } finally {
      clearTimeout(timer);
      this.#reading = undefined;
      // The process would take the next document for the rest of an incomplete one, so it is ended.
      if (!this.#isSent) await this.end(interrupted());
    }
  }

  /**
   * Kills the process.
   * @param failure the error of the pending request.
   */
  async end(failure: AppError): Promise<void> {
    this.#fail(failure);
    this.#process.kill("SIGKILL");
    await this.#closed;
  }

  async #send(
    content: DocumentBytes,
    format: RdfFormat,
    refuse: (error: unknown) => void,
  ): Promise<void> {
    this.#isSent = false;
    // A broken pipe is reported by the process's end; an error of `content` is reported here.
    for await (const piece of messagesOf(content, format, refuse)) {
      if (this.hasEnded) return;
      const { stdin } = this.#process;
      // Backpressure: no more is buffered than the pipe accepts.
      if (!stdin.write(piece)) await Promise.race([once(stdin, "drain"), this.#closed]);
    }
    this.#isSent = true;
  }

  #hear({ kind, payload }: Message): void {
    if (kind === "read") {
      this.#reading?.resolve(decodeDocument(payload));
      return;
    }
    // The child process uses the same protocol.
    this.#reading?.reject(errorOf(JSON.parse(payload.toString()) as Failure));
  }

  #fail(failure: AppError): void {
    this.hasEnded = true;
    this.#reading?.reject(failure);
  }

  #outOfMemory(cause: unknown): AppError {
    const mebibytes = this.#memoryBytesMax / MEBIBYTE;
    const message =
      `content: The process that read the document has ended: reading may need ${mebibytes} MiB of memory ` +
      "(STATE_DOCUMENT_MEMORY_BYTES_MAX). Import the document in parts";
    return new AppError("LIMIT_EXCEEDED", message, { cause });
  }
}

async function* messagesOf(
  content: DocumentBytes,
  format: RdfFormat,
  refuse: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  yield headOf(format, 0);
  let bytes = 0;
  try {
    for await (const part of content) {
      bytes += part.length;
      if (bytes > STATE_DOCUMENT_BYTES_MAX) throw tooLong();
      yield headOf("part", part.length);
      yield part;
    }
  } catch (error) {
    refuse(error);
    throw error;
  }
  yield headOf("end", 0);
}

function tooLong(): AppError {
  const mebibytes = STATE_DOCUMENT_BYTES_MAX / MEBIBYTE;
  const message = `content: A document has ${mebibytes} MiB at most (STATE_DOCUMENT_BYTES_MAX): import it in parts`;
  return new AppError("LIMIT_EXCEEDED", message);
}

function interrupted(): AppError {
  return new AppError(
    "STORE_UNAVAILABLE",
    "Reading was interrupted because another document was cancelled; try again",
    {
      retryAfterMs: 1000,
    },
  );
}

function overdue(timeoutMs: number): AppError {
  return new AppError(
    "LIMIT_EXCEEDED",
    `content: Reading the document took more than ${timeoutMs} ms (STATE_DOCUMENT_MS_MAX): import it in parts, ` +
      "and give IRIs to blank nodes that refer to each other",
  );
}
