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
import type { AppError } from "../../kernel/errors.js";
import type { QueryRuntimeContext } from "../../plans/index.js";
import type { Services } from "../services.js";
import { CallScope } from "./call-scope.js";
import { decoderOf, encoderOf, RefusedRequest } from "./codec.js";
import { writeAll } from "./write-all.js";

/** Answers a request with one message. */
export type Answer<I extends DescMessage, O extends DescMessage> = (
  request: MessageShape<I>,
  ctx: QueryRuntimeContext,
) => Promise<MessageShape<O>>;

/** Answers a request with pages of messages; each is asked for when the one before is on its way. */
export type StreamAnswer<I extends DescMessage, O extends DescMessage> = (
  request: MessageShape<I>,
  ctx: QueryRuntimeContext,
) => AsyncIterable<readonly MessageShape<O>[]>;

/** A request, or why what was received is none. */
type Received<I extends DescMessage> = MessageShape<I> | RefusedRequest;

/**
 * Puts methods on a grpc-js server. Each call is authenticated, before its request is looked at, handed
 * to its answer as messages and a context, and ended with what the answer returns or throws
 * (Decision §9).
 */
export class Methods {
  readonly #server: Server;
  readonly #services: Services;
  readonly #streams = new Set<CallScope>();

  constructor(server: Server, services: Services) {
    this.#server = server;
    this.#services = services;
  }

  /** One request, one response. */
  unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    answer: Answer<I, O>,
  ): void {
    type Call = ServerUnaryCall<Received<I>, MessageShape<O>>;
    const handle = (call: Call, respond: sendUnaryData<MessageShape<O>>): void => {
      void this.#answer(new CallScope(method.name, call, this.#services), answer, call, respond);
    };
    const [encode, decode] = [encoderOf(method.output), decoderOf(method.input)];
    this.#server.register(pathOf(method), handle, encode, decode, "unary");
  }

  /** One request, many responses, no faster than the caller takes them. */
  serverStream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    answer: StreamAnswer<I, O>,
  ): void {
    const handle = (call: ServerWritableStream<Received<I>, MessageShape<O>>): void => {
      void this.#stream(new CallScope(method.name, call, this.#services), answer, call);
    };
    const [encode, decode] = [encoderOf(method.output), decoderOf(method.input)];
    this.#server.register(pathOf(method), handle, encode, decode, "serverStream");
  }

  /** Many requests, one response to each, in order; whoever calls. */
  conversation<I extends DescMessage, O extends DescMessage>(
    method: DescMethodBiDiStreaming<I, O>,
    path: string,
    answer: (request: MessageShape<I>) => MessageShape<O>,
  ): void {
    const handle = (call: ServerDuplexStream<Received<I>, MessageShape<O>>): void => {
      this.#converse(new CallScope(method.name, call, this.#services), answer, call);
    };
    const [encode, decode] = [encoderOf(method.output), decoderOf(method.input)];
    this.#server.register(path, handle, encode, decode, "bidi");
  }

  /** Ends every stream with this error. */
  stopStreams(reason: AppError): void {
    for (const scope of this.#streams) scope.stop(reason);
  }

  async #answer<I extends DescMessage, O extends DescMessage>(
    scope: CallScope,
    answer: Answer<I, O>,
    call: ServerUnaryCall<Received<I>, MessageShape<O>>,
    respond: sendUnaryData<MessageShape<O>>,
  ): Promise<void> {
    const { request } = call;
    try {
      const ctx = scope.context();
      if (request instanceof RefusedRequest) {
        respond(scope.failed(request.error, request.wire));
        return;
      }
      const response = await answer(request, ctx);
      scope.answered();
      respond(null, response);
    } catch (thrown) {
      respond(scope.failed(thrown));
    }
  }

  async #stream<I extends DescMessage, O extends DescMessage>(
    scope: CallScope,
    answer: StreamAnswer<I, O>,
    call: ServerWritableStream<Received<I>, MessageShape<O>>,
  ): Promise<void> {
    const { request } = call;
    this.#streams.add(scope);
    try {
      const ctx = scope.context();
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
      this.#streams.delete(scope);
    }
  }

  #converse<I extends DescMessage, O extends DescMessage>(
    scope: CallScope,
    answer: (request: MessageShape<I>) => MessageShape<O>,
    call: ServerDuplexStream<Received<I>, MessageShape<O>>,
  ): void {
    this.#streams.add(scope);
    scope.signal.addEventListener("abort", () => {
      this.#streams.delete(scope);
      call.emit("error", scope.failed(scope.signal.reason));
    });
    call.on("data", (request: Received<I>) => {
      if (request instanceof RefusedRequest) {
        scope.stop(request.error);
      } else if (!call.write(answer(request))) {
        call.pause();
        call.once("drain", () => call.resume());
      }
    });
    call.on("end", () => {
      this.#streams.delete(scope);
      scope.answered();
      call.end();
    });
  }
}

/** Where a method is called. */
export function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}
