import { X509Certificate } from "node:crypto";
import type { Metadata, ServerUnaryCall } from "@grpc/grpc-js";
import { AppError } from "@steward/kernel/errors.js";
import type { Action } from "../../identity/index.js";
import type { RequestContext } from "../approvals/approved-operation.js";
import type { Share } from "../organization-quotas.js";
import { requestContext, requestIdOf } from "../request-context.js";
import type { WireStatus } from "../errors.js";
import type { IdentityHeaders, Services } from "../services.js";
import { errorStatusOf, type ErrorStatus } from "./error-status.js";

/** The members of grpc-js's calls that a scope uses; unary and streaming calls have them. */
export interface Call {
  readonly metadata: Metadata;
  /** IP address and port of the client. */
  getPeer(): string;
  /** Contains a certificate only if a trusted authority signed it. */
  getAuthContext(): AuthContext;
  /** Milliseconds since the epoch; `Infinity` when there is none. */
  getDeadline(): Date | number;
  once(event: "cancelled", listener: () => void): unknown;
}

/**
 * The action of a call, and the quota that it counts against while it runs; undefined for methods
 * that are open to everybody.
 */
export interface Asked {
  readonly action: Action | undefined;
  readonly share: Share | undefined;
  /** Whether the call runs with {@link underApproval}. */
  readonly isApprovable?: boolean;
}

/** grpc-js's description of a connection's security; the package does not export the type. */
type AuthContext = ReturnType<ServerUnaryCall<unknown, unknown>["getAuthContext"]>;

/** The lifetime of one call: its caller, its abort signal, and its result. */
export class CallScope {
  readonly #method: string;
  readonly #call: Call;
  readonly #services: Services;
  readonly #headers: IdentityHeaders;
  readonly #requestId: string;
  readonly #startedMs: number;
  readonly #abort = new AbortController();
  #over = false;
  /** Whether the call has ended, which comes after its answer. */
  #isGone = false;
  #whenGone: (() => void) | undefined;

  constructor(method: string, call: Call, services: Services) {
    this.#method = method;
    this.#call = call;
    this.#services = services;
    this.#headers = headersOf(call.metadata);
    this.#requestId = requestIdOf(this.#headers, services.ids);
    this.#startedMs = services.clock.nowMs();
    // Emitted at the end of every call, even after an answer.
    call.once("cancelled", () => {
      this.#isGone = true;
      this.#whenGone?.();
      if (!this.#over) this.stop(callerGone());
    });
  }

  /** IP address of the client, or a word when the connection has ended. */
  get clientAddress(): string {
    const shown = { headers: this.#headers, peerAddress: addressOf(this.#call.getPeer()) };
    return this.#services.clientAddress(shown);
  }

  /** Aborted when the caller has disconnected, its deadline has passed, or the call is stopped. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * @param asked The action of the call; absent for methods that are open to everybody.
   * @throws AppError when the caller cannot be authenticated, or is not permitted.
   */
  context({ action, share, isApprovable = false }: Asked): Promise<RequestContext> {
    const deadlineMs = Number(this.#call.getDeadline());
    return requestContext(this.#services, {
      headers: this.#headers,
      peerAddress: addressOf(this.#call.getPeer()),
      certificate: () => certificateOf(this.#call),
      requestId: this.#requestId,
      signal: this.signal,
      action,
      share,
      isApprovable,
      whenOver: (listener) => {
        if (this.#isGone) listener();
        else this.#whenGone = listener;
      },
      deadlineMs: Number.isFinite(deadlineMs) ? deadlineMs : undefined,
    });
  }

  /** Ends the call for this reason. */
  stop(reason: AppError): void {
    this.#abort.abort(reason);
  }

  /** Records that the call was answered. */
  answered(): void {
    this.#end("OK");
  }

  /**
   * Records that the call failed. @returns the status to end it with.
   * @param wire Overrides the table's status.
   */
  failed(thrown: unknown, wire?: WireStatus): ErrorStatus {
    const error = AppError.from(thrown);
    if (error.code === "INTERNAL") {
      const fields = { err: thrown, method: this.#method, requestId: this.#requestId };
      this.#services.log.error(fields, "grpc call failed");
    }
    this.#end(error.code);
    return errorStatusOf(error, wire);
  }

  #end(code: string): void {
    this.#over = true;
    const { log, clock } = this.#services;
    const durationMs = clock.nowMs() - this.#startedMs;
    log.debug(
      { method: this.#method, requestId: this.#requestId, code, durationMs },
      "grpc call ended",
    );
  }
}

/** The texts of a call's metadata; a repeated key has all its values. */
function headersOf(metadata: Metadata): IdentityHeaders {
  const headers: Record<string, string | string[]> = {};
  for (const [name, values] of Object.entries(metadata.toJSON())) {
    const texts = values.filter((value) => typeof value === "string");
    const [first, ...others] = texts;
    if (first !== undefined) headers[name] = others.length === 0 ? first : texts;
  }
  return headers;
}

/** `getPeer` returns an address and a port, or a word when the connection has ended. */
function addressOf(peer: string): string {
  const portAt = peer.lastIndexOf(":");
  return portAt === -1 ? peer : peer.slice(0, portAt);
}

function callerGone(): AppError {
  return new AppError("CANCELLED", "The caller has disconnected or stopped waiting");
}

function certificateOf(call: Call): X509Certificate | undefined {
  const { sslPeerCertificate: certificate } = call.getAuthContext();
  return certificate && new X509Certificate(certificate.raw);
}
