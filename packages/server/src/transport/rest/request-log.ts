import type { FastifyReply, FastifyRequest } from "fastify";
import type { Services } from "../services.js";
import type { RestApp } from "./rest-app.js";

/** Status noted for a request whose caller left before it was answered, as nginx does. */
const CALLER_GONE = "499";

/** Logs, counts and times every request that reached a route, once its answer is over. */
export function logRequests(app: RestApp, { log, telemetry }: Services): void {
  app.addHook("onRequest", (request, reply, done) => {
    const startedMs = performance.now();
    // Fastify's own onResponse hook does not hear of a caller who leaves.
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

/** The route's pattern, never the path: a label must not have as many values as there are plans. */
function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? "none";
}

function statusOf(reply: FastifyReply): string {
  return reply.raw.headersSent ? String(reply.statusCode) : CALLER_GONE;
}
