import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { AppError } from "../../kernel/errors.js";
import type { RdfDocument, RdfFormat } from "../../state/index.js";
import { decodeDocument } from "./document-bytes.js";
import { headOf, type Message, MessageReader, type ReadFailure } from "./messages.js";

const CHILD_FILE = fileURLToPath(new URL("./child/rdf-child.js", import.meta.url));
const MEBIBYTE = 1024 * 1024;

/** Who waits for a document. */
interface Reading {
  readonly resolve: (document: RdfDocument) => void;
  readonly reject: (error: AppError) => void;
}

/** A process that reads documents, from outside. It takes one at a time. */
export class ReadingProcess {
  hasEnded = false;
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #memoryBytesMax: number;
  readonly #messages = new MessageReader();
  readonly #closed: Promise<void>;
  #reading: Reading | undefined;

  /** @param memoryBytesMax how large its heap may become. */
  constructor(memoryBytesMax: number) {
    this.#memoryBytesMax = memoryBytesMax;
    const heap = `--max-old-space-size=${Math.floor(memoryBytesMax / MEBIBYTE)}`;
    // An empty environment: nothing that a document could ever reach holds the server's secrets.
    this.#process = spawn(process.execPath, [heap, CHILD_FILE, String(process.pid)], {
      stdio: ["pipe", "pipe", "ignore"],
      env: {},
    });
    // A broken pipe means that the process is gone, which `close` tells.
    this.#process.stdin.on("error", () => undefined);
    this.#process.stdout.on("data", (chunk: Buffer) => {
      const message = this.#messages.push(chunk);
      if (message !== undefined) this.#hear(message);
    });
    this.#closed = new Promise((resolve) => {
      const onEnd = (cause?: unknown): void => {
        this.#fail(this.#outOfMemory(cause));
        resolve();
      };
      this.#process.once("close", () => onEnd()).once("error", onEnd);
    });
  }

  /** @throws AppError as the reader says, `DEADLINE_EXCEEDED`, or `LIMIT_EXCEEDED` when the process has ended. */
  async read(text: string, format: RdfFormat, timeoutMs: number): Promise<RdfDocument> {
    const timer = setTimeout(() => void this.end(overdue(timeoutMs)), timeoutMs);
    try {
      return await new Promise<RdfDocument>((resolve, reject) => {
        this.#reading = { resolve, reject };
        const bytes = Buffer.from(text);
        this.#process.stdin.write(headOf(format, bytes.length));
        this.#process.stdin.write(bytes);
      });
    } finally {
      clearTimeout(timer);
      this.#reading = undefined;
    }
  }

  /** Stops it, whatever it does. @param failure what whoever waits is told. */
  async end(failure: AppError): Promise<void> {
    this.#fail(failure);
    this.#process.kill("SIGKILL");
    await this.#closed;
  }

  #hear({ kind, payload }: Message): void {
    if (kind === "read") {
      this.#reading?.resolve(decodeDocument(payload));
      return;
    }
    // The process's end speaks the same protocol.
    const { code, message, details, cause } = JSON.parse(payload.toString()) as ReadFailure;
    this.#reading?.reject(new AppError(code, message, { details, cause }));
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

function overdue(timeoutMs: number): AppError {
  return new AppError(
    "LIMIT_EXCEEDED",
    `content: Reading the document took more than ${timeoutMs} ms (STATE_DOCUMENT_MS_MAX): import it in parts, ` +
      "and give IRIs to blank nodes that refer to each other",
  );
}
