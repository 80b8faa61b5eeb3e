import { toJson } from "@bufbuild/protobuf";
import type {
  DescMessage,
  DescMethod,
  DescMethodBiDiStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageShape,
} from "@bufbuild/protobuf";
import type {
  sendUnaryData,
  Server,
  ServerDuplexStream,
  ServerUnaryCall,
  ServerWritableStream,
} from "@grpc/grpc-js";
import type { JsonValue } from "@steward/kernel/canonical-json.js";
import { AppError } from "@steward/kernel/errors.js";
import type { QueryRuntimeContext } from "../../plans/index.js";
import { type RequestContext, underApproval } from "../approvals/approved-operation.js";
import { askedOperation, recordOf, resolvesOf } from "../operations.js";
import type { Services } from "../services.js";
import { isLarge, turnOfBody, turnOfPiece } from "../answers/large-turns.js";
import type { AdmitStream } from "../stream-limits.js";
import { type Asked, CallScope } from "./call-scope.js";
import {
  bytesOf,
  decoderOf,
  type EncodedMessage,
  encoderOf,
  RefusedRequest,
  type Decode,
} from "./codec.js";
import { writeAll } from "./write-all.js";

/** Handles a request with one response. */
export type Answer<I extends DescMessage, O extends DescMessage> = (
  request: MessageShape<I>,
  ctx: QueryRuntimeContext,
) => Promise<MessageShape<O> | EncodedMessage>;

/**
 * Handles a request with pages of messages; each page is requested after the previous one was sent.
 */
export type StreamAnswer<I extends DescMessage, O extends DescMessage> = (
  request: MessageShape<I>,
  ctx: QueryRuntimeContext,
) => AsyncIterable<readonly MessageShape<O>[]>;

/** The checks before a method is called. */
export interface Guards {
  /** The action of an operation, by its name; absent: the methods are open to everybody. */
  readonly askedBy?: (method: string) => Asked;
  readonly admitStream?: AdmitStream;
}

/** The handling of a method: its access check, decoder and handler. */
interface Served<I extends DescMessage, Answering> {
  readonly asked: Asked;
  readonly decode: Decode<I>;
  readonly answer: Answering;
}

/** Open to everybody. */
const OPEN: Asked = { action: undefined, share: undefined };

/**
 * Registers methods on a grpc-js server. Each call is authenticated and authorized before its
 * request is decoded. Its handler gets the message and a context, and the call ends with the
 * handler's result or error (Decision §9).
 */
export class MethodRegistry {
  readonly #server: Server;
  readonly #services: Services;
  readonly #guards: Guards;
  readonly #streams = new Set<CallScope>();

  constructor(server: Server, services: Services, guards: Guards = {}) {
    this.#server = server;
    this.#services = services;
    this.#guards = guards;
  }

  /** One request, one response. @param operation that the method does. */
  unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    answer: Answer<I, O>,
    operation: string = method.localName,
  ): void {
    type Sent = MessageShape<O> | EncodedMessage;
    type Call = ServerUnaryCall<Buffer, Sent>;
    const asked = this.#guards.askedBy?.(operation) ?? OPEN;
    const served = {
      asked: { ...asked, isApprovable: true },
      decode: decoderOf(method.input),
      answer: this.#governed(operation, method, answer),
    };
    const handle = (call: Call, respond: sendUnaryData<Sent>): void => {
      void this.#answer(new CallScope(method.name, call, this.#services), served, call, respond);
    };
    this.#server.register(pathOf(method), handle, encoderOf(method.output), bytesOf, "unary");
  }

  /** One request, many responses, sent only as fast as the client reads them. */
  serverStream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    answer: StreamAnswer<I, O>,
  ): void {
    const asked = this.#guards.askedBy?.(method.localName) ?? OPEN;
    const served = { asked, decode: decoderOf(method.input), answer };
    const handle = (call: ServerWritableStream<Buffer, MessageShape<O>>): void => {
      void this.#stream(new CallScope(method.name, call, this.#services), served, call);
    };
    this.#server.register(
      pathOf(method),
      handle,
      encoderOf(method.output),
      bytesOf,
      "serverStream",
    );
  }

  /** Many requests, one response to each, in order; open to everybody. */
  conversation<I extends DescMessage, O extends DescMessage>(
    method: DescMethodBiDiStreaming<I, O>,
    path: string,
    answer: (request: MessageShape<I>) => MessageShape<O>,
  ): void {
    const asked = this.#guards.askedBy?.(method.localName) ?? OPEN;
    const served = { asked, decode: decoderOf(method.input), answer };
    const handle = (call: ServerDuplexStream<Buffer, MessageShape<O>>): void => {
      this.#converse(new CallScope(method.name, call, this.#services), served, call);
    };
    this.#server.register(path, handle, encoderOf(method.output), bytesOf, "bidi");
  }

  /**
   * Lets operations wait for the approvals that policies demand, and records those that change something; the
   * methods that are open to everybody do neither.
   */
  #governed<I extends DescMessage, O extends DescMessage>(
    name: string,
    { input }: DescMethodUnary<I, O>,
    answer: Answer<I, O>,
  ): Answer<I, O> {
    const action = this.#guards.askedBy?.(name).action;
    if (action === undefined) return answer;
    const record = recordOf(name);
    const { recordOperation } = this.#services;
    return (message, context: RequestContext) => {
      // A message is an object, and its parameters have the names that they have in REST.
      const parameters = (): Record<string, JsonValue> =>
        toJson(input, message, { useProtoFieldName: true }) as Record<string, JsonValue>;
      const operation = {
        actions: [action],
        context,
        shown: () => ({ operation: name, request: parameters(), resolves: resolvesOf(name) }),
      };
      return underApproval(this.#services, operation, (ctx) =>
        record === undefined
          ? answer(message, ctx)
          : recordOperation(ctx, askedOperation(name, record, parameters()), (recorded) =>
              answer(message, { ...ctx, operation: recorded }),
            ),
      );
    };
  }

  /** Ends every stream with this error. */
  stopStreams(reason: AppError): void {
    for (const scope of this.#streams) scope.stop(reason);
  }

  async #answer<I extends DescMessage, O extends DescMessage>(
    scope: CallScope,
    { asked, decode, answer }: Served<I, Answer<I, O>>,
    call: ServerUnaryCall<Buffer, MessageShape<O> | EncodedMessage>,
    respond: sendUnaryData<MessageShape<O> | EncodedMessage>,
  ): Promise<void> {
    try {
      const ctx = await scope.context(asked);
      const turn = turnOfBody(call.request.length, ctx.orgId);
      if (turn !== undefined) await turn;
      const request = decode(call.request);
      if (request instanceof RefusedRequest) {
        respond(scope.failed(request.error, request.wire));
        return;
      }
      const response = await answer(request, ctx);
      // It is encoded and copied where it is handed over.
      if (isLarge(response)) await turnOfPiece(ctx.orgId);
      scope.answered();
      respond(null, response);
    } catch (thrown) {
      respond(scope.failed(thrown));
    }
  }

  async #stream<I extends DescMessage, O extends DescMessage>(
    scope: CallScope,
    { asked, decode, answer }: Served<I, StreamAnswer<I, O>>,
    call: ServerWritableStream<Buffer, MessageShape<O>>,
  ): Promise<void> {
    this.#streams.add(scope);
    let leave: (() => void) | undefined;
    try {
      const ctx = await scope.context(asked);
      leave = this.#guards.admitStream?.(scope.clientAddress);
      const request = decode(call.request);
      if (request instanceof RefusedRequest) {
        call.emit("error", scope.failed(request.error, request.wire));
        return;
      }
      for await (const page of answer(request, ctx)) {
        await writeAll(call, page, scope.signal);
      }
      scope.signal.throwIfAborted();
      scope.answered();
      call.end();
    } catch (thrown) {
      call.emit("error", scope.failed(thrown));
    } finally {
      leave?.();
      this.#streams.delete(scope);
    }
  }

  #converse<I extends DescMessage, O extends DescMessage>(
    scope: CallScope,
    { decode, answer }: Served<I, (request: MessageShape<I>) => MessageShape<O>>,
    call: ServerDuplexStream<Buffer, MessageShape<O>>,
  ): void {
    this.#streams.add(scope);
    let leave: (() => void) | undefined;
    scope.signal.addEventListener("abort", () => {
      leave?.();
      this.#streams.delete(scope);
      call.emit("error", scope.failed(scope.signal.reason));
    });
    try {
      leave = this.#guards.admitStream?.(scope.clientAddress);
    } catch (error) {
      scope.stop(AppError.from(error));
      return;
    }
    call.on("data", (bytes: Buffer) => {
      const request = decode(bytes);
      if (request instanceof RefusedRequest) {
        scope.stop(request.error);
      } else if (!call.write(answer(request))) {
        call.pause();
        call.once("drain", () => call.resume());
      }
    });
    call.on("end", () => {
      leave?.();
      this.#streams.delete(scope);
      scope.answered();
      call.end();
    });
  }
}

/** The path of a method. */
export function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}
