import type { ErrorCode } from "@steward/protocol";
import { AppError, type FieldViolation } from "../errors.js";

/** The calls that one side answers, by name: the type of each request and of its response. */
export type CallTable<Calls> = {
  readonly [Name in keyof Calls]: { readonly input: unknown; readonly output: unknown };
};

/**
 * The handlers of a side's calls. The signal is aborted when the caller no longer waits for the
 * response.
 */
export type Handlers<Calls extends CallTable<Calls>> = {
  readonly [Name in keyof Calls]: (
    input: Calls[Name]["input"],
    signal: AbortSignal,
  ) => Calls[Name]["output"] | Promise<Calls[Name]["output"]>;
};

/** An error serialized as plain data, to cross to another thread or process. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: readonly FieldViolation[];
  readonly retryAfterMs: number | undefined;
  /** Text for the log only. */
  readonly cause: string | undefined;
}

/** The messages between two sides. Each side numbers its own calls. */
export type PeerMessage =
  | { readonly kind: "call"; readonly id: number; readonly name: string; readonly input: unknown }
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "answer"; readonly id: number; readonly output: unknown }
  | { readonly kind: "failure"; readonly id: number; readonly failure: Failure }
  /** Asks the other side to end once it has answered all calls. */
  | { readonly kind: "end" };

/** Serializes any thrown value. A value that is no AppError becomes `INTERNAL`. */
export function failureOf(thrown: unknown): Failure {
  const { code, message, details, retryAfterMs, cause } = AppError.from(thrown);
  return { code, message, details, retryAfterMs, cause: causeText(cause) };
}

/** Restores an error that {@link failureOf} serialized. */
export function errorOf({ code, message, details, retryAfterMs, cause }: Failure): AppError {
  return new AppError(code, message, {
    details,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(cause === undefined ? {} : { cause }),
  });
}

interface Waiting {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One side of a conversation between the server and a thread or child process. A peer calls the
 * other side, handles its calls, and matches responses by number. The owner transports the
 * messages.
 */
export class Peer<Own extends CallTable<Own>, Theirs extends CallTable<Theirs>> {
  readonly #post: (message: PeerMessage) => void;
  readonly #handlers: Handlers<Own>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #answering = new Map<number, AbortController>();
  #lastId = 0;
  #gone: Error | undefined;
  #whenIdle: (() => void) | undefined;

  constructor(post: (message: PeerMessage) => void, handlers: Handlers<Own>) {
    this.#post = post;
    this.#handlers = handlers;
  }

  /**
   * Calls the other side.
   * @param signal cancels the call: the promise rejects with the signal's reason at once, and the
   * other side is notified.
   * @throws AppError that the other side returned, or the error given to {@link gone}.
   */
  call<Name extends keyof Theirs & string>(
    name: Name,
    input: Theirs[Name]["input"],
    signal?: AbortSignal,
  ): Promise<Theirs[Name]["output"]> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        this.#waiting.delete(id);
        this.#post({ kind: "cancel", id });
        reject(signal?.reason as Error);
      };
      signal?.addEventListener("abort", cancel, { once: true });
      const leave = (): void => signal?.removeEventListener("abort", cancel);
      this.#waiting.set(id, {
        resolve: (output) => {
          leave();
          resolve(output);
        },
        reject: (error) => {
          leave();
          reject(error);
        },
      });
      try {
        this.#post({ kind: "call", id, name, input });
      } catch (error) {
        // The message could not be serialized: structuredClone's DataCloneError says why.
        this.#take(id)?.reject(error as Error);
      }
    });
  }

  /** Handles a message that the other side has sent. */
  receive(message: PeerMessage): void {
    switch (message.kind) {
      case "call":
        void this.#answer(message.id, message.name, message.input);
        break;
      case "cancel":
        this.#answering.get(message.id)?.abort(new Error("nobody waits for the answer any more"));
        break;
      case "answer":
        this.#take(message.id)?.resolve(message.output);
        break;
      case "failure":
        this.#take(message.id)?.reject(errorOf(message.failure));
        break;
      case "end":
        break;
    }
  }

  /** Marks the other side as dead: pending calls and all later ones reject with this error. */
  gone(error: Error): void {
    this.#gone ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#gone);
    this.#waiting.clear();
    for (const answering of this.#answering.values()) answering.abort(this.#gone);
  }

  /** Resolves when this side has answered every call it received. */
  async answered(): Promise<void> {
    if (this.#answering.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  async #answer(id: number, name: string, input: unknown): Promise<void> {
    const calledOff = new AbortController();
    this.#answering.set(id, calledOff);
    try {
      // The name is a key of the table: the other side is compiled against it.
      const handler = this.#handlers[name as keyof Own];
      const output = await handler(input, calledOff.signal);
      this.#reply({ kind: "answer", id, output });
    } catch (error) {
      this.#reply({ kind: "failure", id, failure: failureOf(error) });
    } finally {
      this.#answering.delete(id);
      if (this.#answering.size === 0) this.#whenIdle?.();
    }
  }

  #reply(message: PeerMessage): void {
    if (this.#gone === undefined) this.#post(message);
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}

function causeText(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  if (cause instanceof Error) return cause.stack ?? cause.message;
  return typeof cause === "string" ? cause : JSON.stringify(cause);
}
