import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Log } from "@steward/kernel/log.js";
import { encodeFrame, FrameDecoder } from "./frames.js";
import { deathReason, type DeathReason } from "./death-reason.js";
import type {
  ChildNotice,
  ChildReply,
  ChildRequest,
  ChildRole,
  ChildSettings,
  ChildTask,
} from "./protocol.js";

/** How to start a child. */
export interface ChildLaunch {
  readonly role: ChildRole;
  /** The data source's file. */
  readonly path: string;
  /** Where SQLite puts its temporary files; absent: where it wants. */
  readonly temporaryDirectory?: string | undefined;
  readonly memoryBytesMax: number;
  readonly temporaryBytesMax: number;
  readonly log: Log;
}

/** Whom a child's news concern. */
export interface ChildListener {
  onReply(reply: ChildReply, body: string): void;
  /** The process is gone, and so are its locks; every reply it gave was delivered before. */
  onClose(reason: DeathReason): void;
}

const CHILD_FILE = fileURLToPath(new URL("./child/sql-child.js", import.meta.url));
/** How long a child without work is kept, in ms: an idle server is small. */
const IDLE_MS = 30_000;
/** How long a child may take to end by itself, in ms. */
const END_MS = 1000;
/** Characters of a child's last words that are kept for the log. */
const LAST_WORDS_LENGTH = 2000;

/** A process that runs statements, from outside. */
export class StatementProcess {
  readonly closed: Promise<void>;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #log: Log;
  readonly #frames = new FrameDecoder();
  readonly #idleTimer: NodeJS.Timeout;
  #unsent: Buffer[] = [];
  #lastId = 0;
  #unanswered = 0;
  #isClosing = false;
  #lastWords = "";

  constructor(launch: ChildLaunch, listener: ChildListener) {
    const { temporaryDirectory, log: _log, ...told } = launch;
    const settings: ChildSettings = { ...told, parentPid: process.pid };
    this.#process = spawn(process.execPath, [CHILD_FILE, JSON.stringify(settings)], {
      stdio: ["pipe", "pipe", "pipe"],
      // Nothing more: nothing a statement could ever reach holds the server's secrets.
      env: temporaryDirectory === undefined ? {} : { SQLITE_TMPDIR: temporaryDirectory },
    });
    this.#log = launch.log.child({ role: launch.role, pid: this.#process.pid });
    this.closed = this.#listen(listener);
    this.#idleTimer = setTimeout(() => {
      if (this.#unanswered === 0) this.end();
    }, IDLE_MS).unref();
  }

  /** It takes no more requests: it was told to end, was killed, or is gone. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** @returns the id that the answer will bear. */
  ask(task: ChildTask): number {
    this.#lastId += 1;
    this.#unanswered += 1;
    this.#send({ id: this.#lastId, task });
    return this.#lastId;
  }

  tell(notice: ChildNotice): void {
    this.#send(notice);
  }

  /** Stops it at once, whatever it does. */
  kill(): void {
    this.#isClosing = true;
    this.#process.kill("SIGKILL");
  }

  /** Lets it end when it has done what it was sent. */
  end(): void {
    this.#isClosing = true;
    this.#flush();
    this.#process.stdin.end();
    setTimeout(() => this.#process.kill("SIGKILL"), END_MS).unref();
  }

  #listen(listener: ChildListener): Promise<void> {
    const { stdin, stdout, stderr } = this.#process;
    stdout.on("data", (chunk: Buffer) => {
      try {
        for (const { head, body } of this.#frames.push(chunk)) {
          // The child's end speaks the same protocol.
          const reply = JSON.parse(head) as ChildReply;
          this.#count(reply);
          listener.onReply(reply, body);
        }
      } catch (error) {
        // Where the engine's own code writes to this pipe, the process cannot be understood any more.
        this.#log.error({ err: error }, "statement process sent an invalid reply");
        this.#process.kill("SIGKILL");
      }
    });
    stderr.on("data", (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString()).slice(-LAST_WORDS_LENGTH);
    });
    // A broken pipe means that the process is gone, which `close` tells.
    stdin.on("error", () => undefined);
    return new Promise((resolve) => {
      const close = (exitCode: number | null, signal: string | null): void => {
        if (!this.#isClosing) {
          const stderrTail = this.#lastWords;
          this.#log.warn({ exitCode, signal, stderrTail }, "statement process ended unexpectedly");
        }
        this.#isClosing = true;
        clearTimeout(this.#idleTimer);
        listener.onClose(deathReason(exitCode, signal));
        resolve();
      };
      this.#process.once("close", close);
      this.#process.once("error", (error) => {
        // Where it could not even be started, nothing closes.
        if (this.#process.pid !== undefined) return;
        this.#lastWords = error.message;
        this.#process.off("close", close);
        close(null, null);
      });
    });
  }

  #count(reply: ChildReply): void {
    if (reply.kind === "ready" || reply.kind === "committing") return;
    this.#unanswered -= 1;
    this.#idleTimer.refresh();
  }

  /** Messages of one turn of the event loop leave together. */
  #send(message: ChildRequest | ChildNotice): void {
    if (this.#unsent.length === 0) setImmediate(() => this.#flush());
    this.#unsent.push(encodeFrame({ head: JSON.stringify(message), body: "" }));
  }

  #flush(): void {
    if (this.#unsent.length === 0) return;
    const unsent = this.#unsent;
    this.#unsent = [];
    this.#process.stdin.write(unsent.length === 1 ? unsent[0] : Buffer.concat(unsent));
  }
}
