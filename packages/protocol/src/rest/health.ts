import * as z from "zod";

/** The answer of `/readyz`: whether the process should be sent requests. */
export interface Readiness {
  readonly ready: boolean;
  /** Each part: `ok`, or what is wrong with it. */
  readonly checks: Readonly<Record<string, string>>;
}

/** Schema of {@link Readiness}. */
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

/** The answer of `/`: what runs here, and the paths that lead on. */
export interface ServiceIndex {
  readonly name: string;
  readonly version: string;
  /** By what is found there: a path of this server. */
  readonly links: Readonly<Record<string, string>>;
}

/** Schema of {@link ServiceIndex}. */
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
