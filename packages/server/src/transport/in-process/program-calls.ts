import { StewardError } from "@steward/client";
import type { Caller } from "@steward/kernel/caller.js";
import type { JsonValue } from "@steward/kernel/canonical-json.js";
import { systemTimers } from "@steward/kernel/concurrency/timers.js";
import { AppError } from "@steward/kernel/errors.js";
import { DRAIN_ANSWER_MS, DRAIN_MS } from "@steward/kernel/limits.js";
import type { Orchestrator, QueryRuntimeContext } from "../../plans/index.js";
import { underApproval } from "../approvals/approved-operation.js";
import { restErrorOf } from "../errors.js";
import { actionOf, resolvesOf, shareOf } from "../operations.js";
import { present } from "../../kernel/present.js";
import { type Gatekeepers, requestContext } from "../request-context.js";
import type { Services } from "../services.js";

/** The services that calls within the process need. */
type ProgramServices = Pick<
  Services,
  "orchestrator" | "authorize" | "useApproval" | "countRefusal" | "quotas" | "ids" | "log"
>;

/** A call of one operation. */
export interface ProgramCall<Input> {
  readonly caller: Caller;
  /** Id of the operation in REST, which decides about its action and its quota. */
  readonly operation: string;
  /** Ids in the path of its request in REST, shown to persons who approve the operation. */
  readonly params?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Checks the request. Called once the caller may make it. @throws AppError. */
  readonly input: () => Input;
}

/** A call under way. */
interface OpenCall {
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** What to do at its end. */
  readonly ends: (() => void)[];
}

/**
 * The calls of the embedding program, without a wire. They pass the gatekeepers that requests pass, and fail with the
 * errors that a client of REST has.
 */
export class ProgramCalls implements AsyncDisposable {
  readonly #services: ProgramServices;
  readonly #closing = new AbortController();
  #underWay = 0;
  #whenIdle: (() => void) | undefined;

  constructor(services: ProgramServices) {
    this.#services = services;
  }

  get orchestrator(): Orchestrator {
    return this.#services.orchestrator;
  }

  /** @throws StewardError; the reason of the call's signal when it is aborted. */
  async call<Input, Answer>(
    call: ProgramCall<Input>,
    work: (input: Input, ctx: QueryRuntimeContext) => Promise<Answer>,
  ): Promise<Answer> {
    const open = this.#open(call.signal ?? new AbortController().signal);
    this.#underWay += 1;
    try {
      return await this.#permitted(call, open, work);
    } catch (error) {
      throw this.#errorOf(error, call, open);
    } finally {
      for (const end of open.ends) end();
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#whenIdle?.();
    }
  }

  /**
   * The same for a stream, which lasts until it is read to its end or left. Closing the app ends it with an error, and
   * does not wait for its reader.
   */
  async *stream<Input, Item>(
    call: ProgramCall<Input>,
    pagesOf: (input: Input, ctx: QueryRuntimeContext) => AsyncIterable<readonly Item[]>,
  ): AsyncGenerator<Item, void> {
    const stops = call.signal === undefined ? [] : [call.signal];
    const open = this.#open(AbortSignal.any([this.#closing.signal, ...stops]));
    try {
      const pages = await this.#permitted(call, open, (input, ctx) =>
        Promise.resolve(pagesOf(input, ctx)),
      );
      for await (const page of pages) yield* page;
      open.signal.throwIfAborted();
    } catch (error) {
      throw this.#errorOf(error, call, open);
    } finally {
      for (const end of open.ends) end();
    }
  }

  /** Refuses further calls, ends the streams, and waits for the other calls. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new StewardError("UNREACHABLE", "The app is closed"));
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = systemTimers.after(DRAIN_MS + DRAIN_ANSWER_MS, resolve);
      this.#whenIdle = () => {
        cancel();
        resolve();
      };
    });
  }

  #open(signal: AbortSignal): OpenCall {
    return { requestId: this.#services.ids.uuid(), signal, ends: [] };
  }

  /** Works once the caller is permitted, the request is checked, and what needs an approval has it. */
  async #permitted<Input, Result>(
    { caller, operation, params, idempotencyKey, input }: ProgramCall<Input>,
    { requestId, signal, ends }: OpenCall,
    work: (input: Input, ctx: QueryRuntimeContext) => Promise<Result>,
  ): Promise<Result> {
    this.#closing.signal.throwIfAborted();
    signal.throwIfAborted();
    const action = actionOf(operation);
    const { authorize, useApproval, quotas } = this.#services;
    const gatekeepers: Gatekeepers = {
      authenticate: () => Promise.resolve(caller),
      ...{ authorize, useApproval, quotas },
      clientAddress: ({ peerAddress }) => peerAddress,
    };
    const context = await requestContext(gatekeepers, {
      headers: idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey },
      ...{ requestId, signal, action, share: shareOf(operation), isApprovable: true },
      peerAddress: "",
      certificate: () => undefined,
      whenOver: (listener) => ends.push(listener),
    });
    const checked = input();
    // The request is an object of JSON by its schema.
    const shown = () => ({
      ...{ operation, request: { ...params, ...checked } as JsonValue },
      resolves: resolvesOf(operation),
    });
    return underApproval(this.#services, { actions: [action], context, shown }, (approved) =>
      work(checked, approved),
    );
  }

  /** The error that a client of REST would have. */
  #errorOf(thrown: unknown, { operation, signal }: ProgramCall<unknown>, open: OpenCall): unknown {
    if (signal?.aborted === true) return signal.reason;
    if (this.#closing.signal.aborted && open.signal.aborted) return this.#closing.signal.reason;
    if (thrown instanceof StewardError) return thrown;
    const error = stewardErrorOf(thrown, open.requestId);
    // 501: something is not configured, and nothing has failed.
    if (error.status !== undefined && error.status >= 500 && error.status !== 501) {
      const { requestId } = open;
      this.#services.log.error({ err: thrown, requestId, operation }, "call failed");
    }
    return error;
  }
}

/** The error that a client of REST makes of the answer to this error. */
export function stewardErrorOf(thrown: unknown, requestId?: string): StewardError {
  const { status, body } = restErrorOf(thrown);
  const { retryAfterMs } = AppError.from(thrown);
  return new StewardError(body.code, body.error, {
    status,
    ...present({ requestId, retryAfterMs, details: body.details }),
  });
}
