import * as z from "zod";
import type { Message } from "./envelope.js";

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
