import { parentPort, Worker, type ResourceLimits } from "node:worker_threads";
import { assert } from "./assert.js";
import { THREAD_END_MS } from "./limits.js";
import { type CallTable, type Handlers, Peer, type PeerMessage } from "./worker-protocol.js";

/** How a thread is run. */
export interface WorkerThreadOptions<Host extends CallTable<Host>> {
  /** Its module, which calls {@link serveThread}. */
  readonly url: URL;
  /** Plain data that its module finds as `workerData`. */
  readonly data?: unknown;
  readonly resourceLimits?: ResourceLimits;
  /** Whether it lets a process end that has nothing else to do. */
  readonly isBackground?: boolean;
  /** What the thread may ask. */
  readonly handlers: Handlers<Host>;
  /**
   * What whoever waits is told when the thread ends before it has answered.
   * @param cause what ended it; absent when it was closed, or ended by itself.
   */
  readonly goneError: (cause: Error | undefined) => Error;
}

/** How one call is made. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** How long the call may take, in ms; one that takes longer ends the thread with all its calls. */
  readonly timeoutMs?: number;
}

/** A thread of this process, seen by whoever started it. */
export class WorkerThread<
  Calls extends CallTable<Calls>,
  Host extends CallTable<Host> = object,
> implements AsyncDisposable {
  /** Resolves when the thread has ended, with what ended it. */
  readonly ended: Promise<Error | undefined>;
  readonly #worker: Worker;
  readonly #peer: Peer<Host, Calls>;
  readonly #goneError: (cause: Error | undefined) => Error;

  constructor(options: WorkerThreadOptions<Host>) {
    const { url, data, resourceLimits, isBackground = false, handlers, goneError } = options;
    this.#goneError = goneError;
    this.#worker = new Worker(url, {
      workerData: data,
      ...(resourceLimits === undefined ? {} : { resourceLimits }),
    });
    if (isBackground) this.#worker.unref();
    this.#peer = new Peer((message) => {
      this.#worker.postMessage(message);
    }, handlers);
    this.#worker.on("message", (message: PeerMessage) => {
      this.#peer.receive(message);
    });
    this.ended = new Promise((resolve) => {
      let cause: Error | undefined;
      this.#worker.once("error", (error) => {
        cause = error;
      });
      this.#worker.once("exit", () => {
        this.#peer.gone(goneError(cause));
        resolve(cause);
      });
    });
  }

  /** @throws AppError as the thread says, what `goneError` made when it has ended; the signal's reason. */
  async call<Name extends keyof Calls & string>(
    name: Name,
    input: Calls[Name]["input"],
    { signal, timeoutMs }: CallOptions = {},
  ): Promise<Calls[Name]["output"]> {
    if (timeoutMs === undefined) return this.#peer.call(name, input, signal);
    const timer = setTimeout(() => void this.terminate(), timeoutMs);
    try {
      return await this.#peer.call(name, input, signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Stops it, whatever it does: whoever waits is told at once, and nobody new is answered. */
  async terminate(): Promise<void> {
    this.#peer.gone(this.#goneError(undefined));
    await this.#worker.terminate();
    await this.ended;
  }

  /** Lets it answer what it was asked, then ends it, after {@link THREAD_END_MS} in any case. */
  async [Symbol.asyncDispose](): Promise<void> {
    const message: PeerMessage = { kind: "end" };
    this.#worker.postMessage(message);
    const timer = setTimeout(() => void this.#worker.terminate(), THREAD_END_MS);
    await this.ended;
    clearTimeout(timer);
  }
}

/**
 * Has this thread answer whoever started it, until it is told to end.
 * @param onEnd runs when everything is answered, and before the thread ends.
 * @returns what asks the one who started it.
 */
export function serveThread<Calls extends CallTable<Calls>, Host extends CallTable<Host> = object>(
  handlers: Handlers<Calls>,
  onEnd?: () => void | Promise<void>,
): Pick<Peer<Calls, Host>, "call"> {
  const port = parentPort;
  assert(port !== null, "this runs in a thread of its own");
  const peer = new Peer<Calls, Host>((message) => {
    port.postMessage(message);
  }, handlers);
  const end = async (): Promise<void> => {
    await peer.answered();
    await onEnd?.();
    port.close();
  };
  port.on("message", (message: PeerMessage) => {
    if (message.kind === "end") void end();
    else peer.receive(message);
  });
  return peer;
}
