import {
  ServerInterceptingCall,
  status as grpcStatus,
  type Metadata,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
} from "@grpc/grpc-js";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Labels, Telemetry } from "../../kernel/telemetry.js";
import { errorStatusOf, type ErrorStatus } from "./error-status.js";

/** Options for watching the calls of a server. */
export interface CallWatch {
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  /** Time in which a request must have arrived completely, in ms. */
  readonly requestTimeoutMs: number;
}

/**
 * Ends a call whose request does not arrive in time, and counts every call by its final status.
 * Handlers cannot do this, because some calls never reach them.
 */
export function watchCalls(watch: CallWatch): ServerInterceptor {
  const methods = new Map<string, WatchedMethod>();
  return ({ path, requestStream }, call) => {
    let method = methods.get(path);
    if (method === undefined) {
      method = new WatchedMethod(path, requestStream, watch);
      methods.set(path, method);
    }
    return new WatchedCall(method, call);
  };
}

/** State shared by the calls of one method. */
class WatchedMethod {
  /** Absent for a stream of requests, which may be slow; keepalive checks its connection. */
  readonly requestTimeoutMs: number | undefined;
  readonly late: ErrorStatus;
  readonly clock: Clock;
  readonly #name: string;
  readonly #telemetry: Telemetry;
  readonly #labels = new Map<grpcStatus, Labels>();

  constructor(path: string, requestStream: boolean, watch: CallWatch) {
    const { requestTimeoutMs, clock, telemetry } = watch;
    this.requestTimeoutMs = requestStream ? undefined : requestTimeoutMs;
    this.late = errorStatusOf(
      new AppError(
        "DEADLINE_EXCEEDED",
        `The request did not arrive within ${String(requestTimeoutMs)} ms`,
      ),
    );
    this.clock = clock;
    this.#name = path.slice(path.lastIndexOf("/") + 1);
    this.#telemetry = telemetry;
  }

  count(code: grpcStatus, startedMs: number): void {
    let labels = this.#labels.get(code);
    if (labels === undefined) {
      labels = { method: this.#name, code: grpcStatus[code] };
      this.#labels.set(code, labels);
    }
    this.#telemetry.count("steward_grpc_requests_total", labels);
    const seconds = (this.clock.nowMs() - startedMs) / 1000;
    this.#telemetry.observe("steward_grpc_request_duration_seconds", seconds, labels);
  }
}

// Types that grpc-js does not export by name.
type Listener = Parameters<ServerInterceptingCallInterface["start"]>[0];
type FinalStatus = Parameters<ServerInterceptingCallInterface["sendStatus"]>[0];

/**
 * Passes everything on in both directions. It is its own listener and creates no closures, because
 * every call passes through it.
 */
class WatchedCall extends ServerInterceptingCall implements Listener {
  readonly #method: WatchedMethod;
  readonly #call: ServerInterceptingCallInterface;
  readonly #startedMs: number;
  #listener: Listener | undefined;
  /** Runs until the request has arrived. */
  #timer: NodeJS.Timeout | undefined;
  #counted = false;

  constructor(method: WatchedMethod, call: ServerInterceptingCallInterface) {
    super(call);
    this.#method = method;
    this.#call = call;
    this.#startedMs = method.clock.nowMs();
  }

  override start(listener: Listener): void {
    this.#listener = listener;
    const { requestTimeoutMs } = this.#method;
    if (requestTimeoutMs !== undefined) this.#timer = setTimeout(giveUp, requestTimeoutMs, this);
    this.#call.start(this);
  }

  onReceiveMetadata(metadata: Metadata): void {
    this.#listener?.onReceiveMetadata(metadata);
  }

  onReceiveMessage(message: unknown): void {
    this.#listener?.onReceiveMessage(message);
  }

  onReceiveHalfClose(): void {
    clearTimeout(this.#timer);
    this.#listener?.onReceiveHalfClose();
  }

  /** Called at the end of every call, with or without a status. */
  onCancel(): void {
    clearTimeout(this.#timer);
    const late = this.#method.clock.nowMs() >= Number(this.getDeadline());
    this.#count(late ? grpcStatus.DEADLINE_EXCEEDED : grpcStatus.CANCELLED);
    this.#listener?.onCancel();
  }

  override sendMetadata(metadata: Metadata): void {
    this.#call.sendMetadata(metadata);
  }

  override sendMessage(message: unknown, callback: () => void): void {
    this.#call.sendMessage(message, callback);
  }

  override sendStatus(status: FinalStatus): void {
    this.#count(status.code);
    this.#call.sendStatus(status);
  }

  /** Ends the call without waiting for the rest of its request. */
  giveUp(): void {
    this.sendStatus(this.#method.late);
  }

  #count(code: grpcStatus): void {
    if (this.#counted) return;
    this.#counted = true;
    this.#method.count(code, this.#startedMs);
  }
}

function giveUp(call: WatchedCall): void {
  call.giveUp();
}
