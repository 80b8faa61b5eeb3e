import * as z from "zod";
import type { Infer } from "../operation.js";

/** The response of `/readyz`: whether the process can accept requests. */
export const readiness = z
  .object({
    ready: z.boolean().describe("Whether requests, including writes, would succeed"),
    /** `ok` or the problem, for each part. */
    checks: z
      .record(z.string(), z.string())
      .describe("Each checked part by name: ok, or the problem"),
  })
  .meta({
    id: "Readiness",
    description: "Whether the process should be sent requests",
    examples: [{ ready: true, checks: { store: "ok" } }],
  });

export type Readiness = Infer<typeof readiness>;
