import { parentPort, Worker, type MessagePort, type ResourceLimits } from "node:worker_threads";
import { assert } from "../assert.js";
import { THREAD_END_MS } from "../limits.js";
import { type CallTable, type Handlers, Peer, type PeerMessage } from "./worker-protocol.js";

export interface WorkerThreadOptions<Host extends CallTable<Host>> {
  /** The thread's module, which calls {@link serveThread}. */
  readonly url: URL;
  /** Plain data that the module reads as `workerData`. */
  readonly data?: unknown;
  /** Ports in `data` that the thread takes over. */
  readonly ports?: readonly MessagePort[];
  readonly resourceLimits?: ResourceLimits;
  /** Whether the thread is unreferenced, so that the process may exit while it is idle. */
  readonly isBackground?: boolean;
  /** Handlers of the calls that the thread makes to its owner. */
  readonly handlers: Handlers<Host>;
  /**
   * Makes the error with which pending calls reject when the thread ends early.
   * @param cause the error that ended the thread; absent when it was closed or exited by itself.
   */
  readonly goneError: (cause: Error | undefined) => Error;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /**
   * Time limit of the call, in ms. A call that exceeds it terminates the thread, and all its other
   * calls fail too.
   */
  readonly timeoutMs?: number;
}

/** A worker thread, as its owner sees it. */
export class WorkerThread<
  Calls extends CallTable<Calls>,
  Host extends CallTable<Host> = object,
> implements AsyncDisposable {
  /** Resolves when the thread has ended, with the error that ended it. */
  readonly ended: Promise<Error | undefined>;
  readonly #worker: Worker;
  readonly #peer: Peer<Host, Calls>;
  readonly #goneError: (cause: Error | undefined) => Error;

  constructor(options: WorkerThreadOptions<Host>) {
    const {
      url,
      data,
      ports = [],
      resourceLimits,
      isBackground = false,
      handlers,
      goneError,
    } = options;
    this.#goneError = goneError;
    this.#worker = new Worker(url, {
      workerData: data,
      transferList: [...ports],
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

  /**
   * @throws AppError that the thread returned; the result of `goneError` when the thread has ended;
   * the signal's reason.
   */
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

  /** Terminates the thread at once. Pending and later calls reject. */
  async terminate(): Promise<void> {
    this.#peer.gone(this.#goneError(undefined));
    await this.#worker.terminate();
    await this.ended;
  }

  /** Waits for pending calls, then ends the thread, after {@link THREAD_END_MS} at the latest. */
  async [Symbol.asyncDispose](): Promise<void> {
    const message: PeerMessage = { kind: "end" };
    this.#worker.postMessage(message);
    const timer = setTimeout(() => void this.#worker.terminate(), THREAD_END_MS);
    await this.ended;
    clearTimeout(timer);
  }
}

/**
 * Runs inside the thread: answers its owner's calls until it is told to end.
 * @param onEnd runs after the last answer, before the thread ends.
 * @returns a peer for calls to the owner.
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
