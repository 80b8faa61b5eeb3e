import { z } from "zod";
import { textDefect } from "../../kernel/text-defect.js";

/** A part of a path that is looked up in a store unchanged. */
export function pathText(description: string): z.ZodString {
  return z
    .string()
    .check((ctx) => {
      const message = textDefect(ctx.value);
      if (message !== undefined) ctx.issues.push({ code: "custom", input: ctx.value, message });
    })
    .describe(description);
}
