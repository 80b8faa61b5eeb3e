import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Target } from "./target.js";

/** One statement of an organization, and what the processes that took part in it did meanwhile; in ms. */
export interface Probe {
  readonly durationMs: number;
  /** Processor time of the server's event loop: what it did for others before the answer, and for the answer. */
  readonly loopCpuMs: number;
  /** How long the event loop and the prober could have run, but other threads and processes had the processors. */
  readonly delayedMs: number;
}

/** What a prober has to know, as its process gets it. */
export interface ProberTask {
  readonly url: string;
  /** The server's process. */
  readonly pid: number;
  readonly orgId: string;
}

const PROBER = fileURLToPath(new URL("./prober-process.js", import.meta.url));

/**
 * Runs `SELECT 1` again and again in a process of its own. In the process that sends hostile requests, an
 * answer would wait until all of these are sent: 3000 calls of grpc-js take half a second.
 */
export class Prober implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(process: ChildProcess) {
    this.#process = process;
    this.#ended = once(process, "exit");
  }

  /** Resolves after the first statement, so that its connection is open. */
  static async start({ url, server }: Target, orgId: string): Promise<Prober> {
    const task: ProberTask = { url, pid: server.pid, orgId };
    const process = fork(PROBER, [JSON.stringify(task)]);
    const prober = new Prober(process);
    await prober.#message();
    return prober;
  }

  /** The statements since the start; the last one begins before this call. */
  async stop(): Promise<readonly Probe[]> {
    const probes = this.#message();
    // A process that has ended cannot be told; `probes` rejects then.
    this.#process.send("stop", () => undefined);
    // The prober sends a list when it is told to stop.
    return (await probes) as readonly Probe[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill();
    await this.#ended;
  }

  /** The next message. @throws Error when the process ends instead, because a statement has failed. */
  async #message(): Promise<unknown> {
    const failed = this.#ended.then(() => {
      throw new Error("a statement of the prober has failed; its stderr says why");
    });
    // The event has the message and a handle.
    const [message] = (await Promise.race([once(this.#process, "message"), failed])) as [unknown];
    return message;
  }
}
