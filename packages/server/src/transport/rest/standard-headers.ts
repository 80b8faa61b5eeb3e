import type { FastifyReply, FastifyRequest } from "fastify";
import type { RestApp } from "./rest-app.js";

/**
 * The default security policy for browsers: an answer may load nothing. A page replaces it with its
 * own. The headers are constants because @fastify/helmet builds its headers for each request, which
 * by measurement costs as much as everything else for a small answer. Strict-Transport-Security is
 * left to the TLS terminator: it must not be sent over plain HTTP (RFC 6797 §7.2).
 */
const SECURITY_HEADERS = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** Adds the common headers to every answer, errors included. */
export function setStandardHeaders(app: RestApp): void {
  app.addHook("onRequest", (request, reply, done) => {
    withStandardHeaders(request, reply);
    done();
  });
}

/** For a reply that Fastify sends without running hooks. */
export function withStandardHeaders(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.headers(SECURITY_HEADERS).header("x-request-id", request.id);
}
