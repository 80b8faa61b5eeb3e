import { dataOf, errorBodySchema, readinessSchema, type ErrorBody } from "@steward/protocol/rest";
import * as z from "zod";
import type { Readiness, Services } from "../services.js";
import { json } from "./described-replies.js";
import type { RestApp } from "./rest-app.js";

const tags = ["Service"];
const aliveSchema = z.object({ status: z.literal("alive") });

/** What those who keep the process running ask: is it alive, is it ready, how is it doing. */
export function addServiceRoutes(app: RestApp, { health, metrics }: Services): void {
  app.get(
    "/healthz",
    {
      schema: {
        operationId: "getLiveness",
        summary: "Whether the process is alive",
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
        summary: "Whether the process should be sent requests",
        tags,
        response: {
          200: json("It should", dataOf(readinessSchema)),
          503: json("It should not; details name what is wrong", errorBodySchema),
        },
      },
    },
    async (_request, reply) => {
      const readiness = await health.readiness();
      if (readiness.ready) return reply.send({ data: readiness });
      return reply.code(503).send(notReady(readiness));
    },
  );

  app.get(
    "/metrics",
    {
      schema: {
        operationId: "getMetrics",
        summary: "Measurements in Prometheus' text format",
        tags,
        response: {
          200: { description: "The metrics", content: { "text/plain": { schema: z.string() } } },
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
