import * as z from "zod";
import type { Message } from "./envelope.js";

const readinessShape = {
  ready: z.boolean().describe("Whether requests, including writes, would succeed"),
  /** `ok` or the problem, for each part. */
  checks: z
    .record(z.string(), z.string())
    .describe("Each checked part by name: ok, or the problem"),
};

/** The response of `/readyz`: whether the process can accept requests. */
export interface Readiness extends Message<typeof readinessShape> {}

export const readinessSchema: z.ZodType<Readiness> = z.object(readinessShape).meta({
  id: "Readiness",
  description: "Whether the process should be sent requests",
  examples: [{ ready: true, checks: { store: "ok" } }],
});

const serviceIndexShape = {
  name: z.string().describe("Name of the service"),
  version: z.string().describe("Version of the program that serves it"),
  /** Paths of this server, by purpose. */
  links: z.record(z.string(), z.string()).describe("Paths of this server, by name"),
};

/** The response of `/`: the service, its version, and further paths. */
export interface ServiceIndex extends Message<typeof serviceIndexShape> {}

export const serviceIndexSchema: z.ZodType<ServiceIndex> = z.object(serviceIndexShape).meta({
  id: "ServiceIndex",
  description: "The running service and where to find its documents",
  examples: [{ name: "Steward", version: "0.1.0", links: { docs: "/docs", health: "/healthz" } }],
});
