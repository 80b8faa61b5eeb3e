import type { z } from "zod";
import { expectedInstead } from "../kernel/unknown-field.js";

/**
 * Creates the error for an object in the tools file with unknown keys, or for a value that is no
 * object.
 */
export function unknownKey(known: readonly string[]): (issue: z.core.$ZodRawIssue) => string {
  return (issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => `unknown key ${key}; ${expectedInstead(key, known)}`).join("; ")
      : `must hold ${known.slice(0, -1).join(", ")} or ${known.at(-1) ?? ""}`;
}
