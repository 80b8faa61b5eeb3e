import type { z } from "zod";
import { textDefect } from "../../kernel/text-defect.js";

/** The check of a text that a store has to keep or find unchanged. */
export function storableText(ctx: z.core.ParsePayload): void {
  const message = typeof ctx.value === "string" ? textDefect(ctx.value) : undefined;
  if (message !== undefined) ctx.issues.push({ code: "custom", input: ctx.value, message });
}
