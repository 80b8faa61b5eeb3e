import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Log } from "@steward/kernel/log.js";
import { encodeHeads, FrameDecoder } from "./frames.js";
import { deathReason, type DeathReason } from "./death-reason.js";
import type {
  ChildNotice,
  ChildReply,
  ChildRequest,
  ChildRole,
  ChildSettings,
  ChildTask,
} from "./protocol.js";

/** Start parameters of a child. */
export interface ChildLaunch {
  readonly role: ChildRole;
  /** The data source's file. */
  readonly path: string;
  /** Directory of SQLite's temporary files; absent: SQLite's default. */
  readonly temporaryDirectory?: string | undefined;
  readonly memoryBytesMax: number;
  readonly temporaryBytesMax: number;
  readonly log: Log;
}

/** The listener for a child's events. */
export interface ChildListener {
  onReply(reply: ChildReply, body: string): void;
  /** The process has ended and its locks are released; all its replies have been delivered. */
  onClose(reason: DeathReason): void;
}

const CHILD_FILE = fileURLToPath(new URL("./child/sql-child.js", import.meta.url));
/** How long an idle child is kept, in ms, so that an idle server needs little memory. */
const IDLE_MS = 30_000;
/** How long a child may take until it is ready, in ms: a busy machine needs seconds. */
const START_MS_MAX = 60_000;
/** How long a child may take to exit after it was asked to, in ms. */
const END_MS = 1000;
/** How much of a child's error output is kept for the log, in characters. */
const LAST_WORDS_LENGTH = 2000;

/** The server's side of a process that runs statements. */
export class StatementProcess {
  readonly closed: Promise<void>;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #log: Log;
  readonly #frames = new FrameDecoder();
  readonly #startTimer: NodeJS.Timeout;
  readonly #idleTimer: NodeJS.Timeout;
  /** Texts of messages. */
  #unsent: string[] = [];
  #lastId = 0;
  #unanswered = 0;
  #isReady = false;
  #isClosing = false;
  #lastWords = "";

  constructor(launch: ChildLaunch, listener: ChildListener) {
    const { temporaryDirectory, log: _log, ...told } = launch;
    const settings: ChildSettings = { ...told, parentPid: process.pid };
    this.#process = spawn(process.execPath, [CHILD_FILE, JSON.stringify(settings)], {
      stdio: ["pipe", "pipe", "pipe"],
      // Nothing else is passed: a process that runs agents' statements must not have the server's
      // secrets.
      env: temporaryDirectory === undefined ? {} : { SQLITE_TMPDIR: temporaryDirectory },
    });
    this.#log = launch.log.child({ role: launch.role, pid: this.#process.pid });
    this.closed = this.#listen(listener);
    this.#startTimer = setTimeout(() => this.kill(), START_MS_MAX).unref();
    this.#idleTimer = setTimeout(() => {
      if (this.#unanswered === 0) this.end();
    }, IDLE_MS).unref();
  }

  /** Whether it has started, so that it runs what it is asked. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Whether it accepts no more requests: it was asked to end, was killed, or has ended. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** @returns the id of the answer. */
  ask(task: ChildTask): number {
    this.#lastId += 1;
    this.#unanswered += 1;
    this.#send({ id: this.#lastId, task });
    return this.#lastId;
  }

  tell(notice: ChildNotice): void {
    this.#send(notice);
  }

  /** Kills it immediately. */
  kill(): void {
    this.#isClosing = true;
    this.#process.kill("SIGKILL");
  }

  /** Lets it exit after it has finished the sent requests. */
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
          // The child's side uses the same protocol.
          const reply = JSON.parse(head) as ChildReply;
          this.#note(reply);
          listener.onReply(reply, body);
        }
      } catch (error) {
        // When the engine's own code writes to this pipe, the messages can no longer be parsed.
        this.#log.error({ err: error }, "statement process sent an invalid reply");
        this.#process.kill("SIGKILL");
      }
    });
    stderr.on("data", (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString()).slice(-LAST_WORDS_LENGTH);
    });
    // A broken pipe means that the process has ended, which `close` reports.
    stdin.on("error", () => undefined);
    return new Promise((resolve) => {
      const close = (exitCode: number | null, signal: string | null): void => {
        if (!this.#isClosing) {
          const stderrTail = this.#lastWords;
          this.#log.warn({ exitCode, signal, stderrTail }, "statement process ended unexpectedly");
        }
        this.#isClosing = true;
        clearTimeout(this.#startTimer);
        clearTimeout(this.#idleTimer);
        // Before it was ready it ran no statement that could have been the cause.
        listener.onClose(this.#isReady ? deathReason(exitCode, signal) : "elsewhere");
        resolve();
      };
      this.#process.once("close", close);
      this.#process.once("error", (error) => {
        // A process that could not be started never emits `close`.
        if (this.#process.pid !== undefined) return;
        this.#lastWords = error.message;
        this.#process.off("close", close);
        close(null, null);
      });
    });
  }

  #note(reply: ChildReply): void {
    if (reply.kind === "ready") {
      this.#isReady = true;
      clearTimeout(this.#startTimer);
      return;
    }
    if (reply.kind === "committing") return;
    this.#unanswered -= 1;
    this.#idleTimer.refresh();
  }

  /** Messages of one turn of the event loop are sent together. */
  #send(message: ChildRequest | ChildNotice): void {
    if (this.#unsent.length === 0) setImmediate(() => this.#flush());
    this.#unsent.push(JSON.stringify(message));
  }

  #flush(): void {
    if (this.#unsent.length === 0) return;
    const unsent = this.#unsent;
    this.#unsent = [];
    this.#process.stdin.write(encodeHeads(unsent));
  }
}
