import * as z from "zod";
import type { Message } from "./envelope.js";
import { ERROR_CODES } from "../error-codes.js";

const errorDetailShape = {
  /** A path such as `steps[2].depends_on[0]`. */
  field: z.string().describe("Path of the field, such as steps[2].depends_on[0]"),
  reason: z.string().describe("What is wrong with the field"),
};

/** A problem in one field of a request. */
export interface ErrorDetail extends Message<typeof errorDetailShape> {}

const errorDetailSchema: z.ZodType<ErrorDetail> = z.object(errorDetailShape);

const errorBodyShape = {
  /** A message for people. */
  error: z.string().describe("What went wrong and how to fix it, for people"),
  /** The machine-readable code. */
  code: z.enum(ERROR_CODES).describe("The error code, for programs"),
  details: z
    .array(errorDetailSchema)
    .exactOptional()
    .describe("The problems, field by field; absent when no field is at fault"),
};

/** The body of every REST error (Decision §9). */
export interface ErrorBody extends Message<typeof errorBodyShape> {}

export const errorBodySchema: z.ZodType<ErrorBody> = z.object(errorBodyShape).meta({
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
