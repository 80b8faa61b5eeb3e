import * as z from "zod";
import { type Infer, operation } from "../operation.js";
import { EXAMPLE_TEXT, text } from "./policies-in-force.js";

/** One mistake in a text of policies. */
const problem = z.object({
  line: z.int().describe("From 1"),
  column: z.int().describe("From 1"),
  message: z.string().describe("What is wrong"),
});

export type PolicyProblem = Infer<typeof problem>;

export const checkPolicies = operation({
  name: "checkPolicies",
  action: "policies:read",
  summary: "Check policies without putting them into force",
  description: "Lists every mistake with its line and column. Nothing is stored.",
  tag: "Policies",
  input: z.strictObject({ text }).meta({
    id: "PolicyText",
    description: "Policies to be checked",
    examples: [{ text: EXAMPLE_TEXT }],
  }),
  output: z
    .object({
      problems: z.array(problem).readonly().describe("Empty: the policies may be put"),
    })
    .meta({
      id: "PolicyCheck",
      description: "What a check of policies found",
      examples: [{ problems: [{ line: 3, column: 8, message: "attribute `rank` not found" }] }],
    }),
  errors: [403],
  rest: { method: "POST", path: "/api/policies/check", answered: "What was found" },
  retry: true,
});
