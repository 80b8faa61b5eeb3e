import * as z from "zod";

/** The answer of `/readyz`: whether the process should be sent requests. */
export interface Readiness {
  readonly ready: boolean;
  /** Each part: `ok`, or what is wrong with it. */
  readonly checks: Readonly<Record<string, string>>;
}

/** Schema of {@link Readiness}. */
export const readinessSchema: z.ZodType<Readiness> = z
  .object({ ready: z.boolean(), checks: z.record(z.string(), z.string()) })
  .meta({ id: "Readiness", examples: [{ ready: true, checks: { store: "ok" } }] });
