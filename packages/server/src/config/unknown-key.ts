import type { z } from "zod";
import { expectedInstead } from "../kernel/unknown-field.js";

/** What is said of an object in the tools file that has other keys than these, or is none. */
export function unknownKey(known: readonly string[]): (issue: z.core.$ZodRawIssue) => string {
  return (issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => `unknown key ${key}; ${expectedInstead(key, known)}`).join("; ")
      : `must hold ${known.slice(0, -1).join(", ")} or ${known.at(-1) ?? ""}`;
}
