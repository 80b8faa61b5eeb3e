import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "@steward/kernel/errors.js";
import type { Log } from "@steward/kernel/log.js";
import { REQUEST_TOO_LARGE, restErrorOf, UNSUPPORTED_CODING, type RestError } from "../errors.js";
import { discardBody } from "./discard-body.js";
import type { RestApp } from "./rest-app.js";
import { pathOf } from "./routed-paths.js";

/** Fastify's code for a body over the limit. */
const TOO_LARGE = "FST_ERR_CTP_BODY_TOO_LARGE";

/** Answers every error, of the routes or of Fastify itself, in the shape of Decision §9. */
export function answerErrors(app: RestApp, log: Log): void {
  app.setErrorHandler(async (error, request, reply) => {
    await discardTooLarge(error, request, reply);
    return answerError(error, request, reply, log);
  });
}

/** Reads the rest of a body that is too large, so that the client gets the answer and no broken connection. */
export async function discardTooLarge(
  error: unknown,
  { raw }: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (codeOf(error) !== TOO_LARGE) return;
  await discardBody(raw);
  // Fastify sets this header, which HTTP/2 does not allow (RFC 9113 §8.2.2).
  if (raw.httpVersionMajor === 2) reply.removeHeader("connection");
}

/**
 * Refuses a request without a host (RFC 9112 §3.2, RFC 9113 §8.3.1). Node itself would answer with
 * an empty body, or not refuse it.
 */
export function requireHost(app: RestApp): void {
  app.addHook("onRequest", ({ headers, raw }, _reply, done) => {
    const isMissing = headers.host === undefined && raw.httpVersion !== "1.0";
    done(isMissing ? new AppError("INVALID_ARGUMENT", "The host header is missing") : undefined);
  });
}

/** Refuses a compressed body, because a small one could decode to any size (RFC 9110 §15.5.16). */
export function refuseCodings(app: RestApp): void {
  app.addHook("preParsing", async ({ headers, raw }, reply, payload) => {
    const coding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
    if (coding === "" || coding === "identity") return payload;
    await discardBody(raw);
    const message = `content-encoding: ${coding.slice(0, 64)} is not supported; send the body uncompressed`;
    const { status, body } = restErrorOf(
      new AppError("INVALID_ARGUMENT", message, {
        details: [{ field: "content-encoding", reason: "must be absent, or identity" }],
      }),
      UNSUPPORTED_CODING,
    );
    return reply.code(status).header("accept-encoding", "identity").send(body);
  });
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Advice for a body that is too large for the route. */
    tooLargeFix?: string;
  }
}

/** Answers with this error, and logs it when the server is at fault. */
export function answerError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): FastifyReply {
  const { status, headers, body } = restErrorFrom(thrown, request);
  // These errors name missing configuration; nothing has failed.
  if (status >= 500 && status !== 501 && body.code !== "PAYMENT_NOT_CONFIGURED") {
    const { method, url, id: requestId } = request;
    log.error({ err: thrown, requestId, method, path: pathOf(url), status }, "request failed");
  }
  return reply.code(status).headers(headers).send(body);
}

/** The answer to an error, be it of a route or of Fastify itself. */
export function restErrorFrom(thrown: unknown, request: FastifyRequest): RestError {
  switch (codeOf(thrown)) {
    case TOO_LARGE: {
      const most = request.routeOptions.bodyLimit;
      const { tooLargeFix = "send several smaller requests" } = request.routeOptions.config;
      const message = `The body is larger than ${String(most / 1024 / 1024)} MiB: ${tooLargeFix}`;
      return restErrorOf(new AppError("LIMIT_EXCEEDED", message), REQUEST_TOO_LARGE);
    }
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return malformed("The content-type header is malformed; send application/json");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return malformed("The body is not as long as its content-length header says");
    case "FST_ERR_BAD_URL":
      return malformed("The path is not valid percent-encoded UTF-8");
    case "ECONNRESET":
      return malformed("The request ended before its body did");
    default:
      return restErrorOf(thrown);
  }
}

function malformed(message: string): RestError {
  return restErrorOf(new AppError("INVALID_ARGUMENT", message));
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
