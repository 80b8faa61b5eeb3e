import * as z from "zod";
import { ERROR_CODES, type ErrorCode } from "../error-codes.js";

/** What is wrong with one field of a request. */
export interface ErrorDetail {
  /** A path such as `steps[2].depends_on[0]`. */
  readonly field: string;
  readonly reason: string;
}

/** The body of every REST error (Decision §9). */
export interface ErrorBody {
  /** A message for people. */
  readonly error: string;
  /** The machine-readable code. */
  readonly code: ErrorCode;
  readonly details?: readonly ErrorDetail[];
}

const errorDetailSchema = z.object({
  field: z.string().describe("Path of the field, such as steps[2].depends_on[0]"),
  reason: z.string().describe("What is wrong with the field"),
});

export const errorBodySchema: z.ZodType<ErrorBody> = z
  .object({
    error: z.string().describe("What went wrong and how to fix it, for people"),
    code: z.enum(ERROR_CODES).describe("The reason, as a code for programs"),
    details: z
      .array(errorDetailSchema)
      .exactOptional()
      .describe("What is wrong, field by field; absent when no field is to blame"),
  })
  .meta({
    id: "Error",
    description: "Every response that is not a success",
    examples: [
      {
        error: "steps[1].depends_on[0]: no step has the id raed",
        code: "INVALID_PLAN",
        details: [{ field: "steps[1].depends_on[0]", reason: "no step has the id raed" }],
      },
    ],
  });
