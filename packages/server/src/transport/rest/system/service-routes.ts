import { readinessSchema } from "@steward/operations";
import { dataOf, errorBodySchema, type ErrorBody } from "@steward/protocol/rest";
import * as z from "zod";
import type { Readiness, Services } from "../../services.js";
import { json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";

const tags = ["Service"];
const aliveSchema = z.object({
  status: z.literal("alive").meta({ description: "Always alive", examples: ["alive"] }),
});
const metricsSchema = z.string().meta({
  examples: [
    "# HELP steward_http_requests_total Requests by route\n# TYPE steward_http_requests_total counter\n" +
      'steward_http_requests_total{method="GET",route="/api/plans",status="200"} 42\n',
  ],
});

/** Liveness and readiness for probes, which are unauthenticated. */
export function addServiceRoutes(app: RestApp, { health }: Pick<Services, "health">): void {
  app.get(
    "/healthz",
    {
      schema: {
        operationId: "getLiveness",
        summary: "Check that the process is alive",
        description: "Answers as long as the process runs, even when the store is unreachable.",
        tags,
        response: { 200: json("It answers", dataOf(aliveSchema)) },
      },
    },
    () => ({ data: { status: "alive" as const } }),
  );

  app.get(
    "/readyz",
    {
      schema: {
        operationId: "getReadiness",
        summary: "Check that the process can serve requests",
        description:
          "Checks that the store and the data directory can be read and written. The answer names each part that fails and why.",
        tags,
        response: {
          200: json("It should", dataOf(readinessSchema)),
          503: json("It cannot; details name the problems", errorBodySchema),
        },
      },
    },
    async (_request, reply) => {
      const readiness = await health.readiness();
      if (readiness.ready) return reply.send({ data: readiness });
      return reply.code(503).send(notReady(readiness));
    },
  );
}

/** Metrics of the process, over all organizations, for permitted callers. */
export function addMetricsRoute(app: RestApp, { metrics }: Pick<Services, "metrics">): void {
  app.get(
    "/metrics",
    {
      schema: {
        operationId: "getMetrics",
        summary: "Read the metrics in Prometheus' text format",
        description:
          "Counters and histograms of the process, for Prometheus to collect; for callers with the permission metrics:read.",
        tags,
        response: {
          200: { description: "The metrics", content: { "text/plain": { schema: metricsSchema } } },
        },
      },
    },
    async (_request, reply) =>
      reply.header("content-type", metrics.contentType).send(await metrics.render()),
  );
}

function notReady({ checks }: Readiness): ErrorBody {
  const details = Object.entries(checks)
    .filter(([, state]) => state !== "ok")
    .map(([field, reason]) => ({ field, reason }));
  const error = details.map(({ field, reason }) => `${field}: ${reason}`).join("; ");
  return { error: `Not ready: ${error}`, code: "STORE_UNAVAILABLE", details };
}
