import type { FastifyReply, FastifyRequest } from "fastify";
import type { Services } from "../services.js";
import type { RestApp } from "./rest-app.js";

/** Status recorded for a request whose caller disconnected before the answer, as in nginx. */
const CALLER_GONE = "499";

/** Logs, counts and times every routed request once its answer has ended. */
export function logRequests(app: RestApp, { log, telemetry }: Services): void {
  app.addHook("onRequest", (request, reply, done) => {
    const startedMs = performance.now();
    // Fastify's own onResponse hook is not called when the caller disconnects.
    reply.raw.once("close", () => {
      const durationMs = performance.now() - startedMs;
      const labels = { method: request.method, route: routeOf(request) };
      const status = statusOf(reply);
      telemetry.count("steward_http_requests_total", { ...labels, status });
      telemetry.observe("steward_http_request_duration_seconds", durationMs / 1000, labels);
      log.debug(
        { ...labels, requestId: request.id, status, durationMs: Math.round(durationMs) },
        "http request",
      );
    });
    done();
  });
}

/** The route's pattern, never the path: a label must not have a value for each plan. */
function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? "none";
}

function statusOf(reply: FastifyReply): string {
  return reply.raw.headersSent ? String(reply.statusCode) : CALLER_GONE;
}
