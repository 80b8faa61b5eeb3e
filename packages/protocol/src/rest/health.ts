import * as z from "zod";

/** The response of `/readyz`: whether the process can accept requests. */
export interface Readiness {
  readonly ready: boolean;
  /** `ok` or the problem, for each part. */
  readonly checks: Readonly<Record<string, string>>;
}

export const readinessSchema: z.ZodType<Readiness> = z
  .object({
    ready: z.boolean().describe("Whether requests, including writes, would succeed"),
    checks: z
      .record(z.string(), z.string())
      .describe("Each checked part by name: ok, or what is wrong with it"),
  })
  .meta({
    id: "Readiness",
    description: "Whether the process should be sent requests",
    examples: [{ ready: true, checks: { store: "ok" } }],
  });

/** The response of `/`: the service, its version, and further paths. */
export interface ServiceIndex {
  readonly name: string;
  readonly version: string;
  /** Paths of this server, by what they offer. */
  readonly links: Readonly<Record<string, string>>;
}

export const serviceIndexSchema: z.ZodType<ServiceIndex> = z
  .object({
    name: z.string().describe("Name of the service"),
    version: z.string().describe("Version of the program that serves it"),
    links: z.record(z.string(), z.string()).describe("Paths of this server, by name"),
  })
  .meta({
    id: "ServiceIndex",
    description: "The running service and where to find its documents",
    examples: [{ name: "Steward", version: "0.1.0", links: { docs: "/docs", health: "/healthz" } }],
  });
