import * as z from "zod";
import { type Infer, operation } from "../operation.js";
import { policyAnswer, questionShape } from "./explain-policies.js";

const POLICY_CASES_MAX = 500;

const caseName = z.string().describe("What the case says");
const verdict = z
  .enum(["permit", "deny", "approval"])
  .describe("The answer that the question should have");

/** A question with its expected answer. */
const policyCase = z.strictObject({ name: caseName, expect: verdict, ...questionShape });

export type PolicyCase = Infer<typeof policyCase>;

const EXAMPLE_CASE = {
  ...{ name: "an agent reads orders", expect: "permit" },
  ...{ action: "read_select", roles: ["agent"], data_source: "shop", tables: ["orders"] },
} as const;

export const testPolicies = operation({
  name: "testPolicies",
  action: "policies:read",
  summary: "Test policies, or a draft of them, against cases",
  description:
    "Each case is a question with its expected answer. With a text of policies, the cases are decided by " +
    "that draft and the shipped policies, as if the draft were in force. Nothing is stored.",
  tag: "Policies",
  input: z
    .strictObject({
      cases: z
        .array(policyCase)
        .max(POLICY_CASES_MAX)
        .readonly()
        .describe("Questions with the answers that they should have"),
      text: z
        .string()
        .exactOptional()
        .describe(
          "Policies in Cedar to try them on instead of your organization's own that are in force; nothing of them is kept",
        ),
    })
    .meta({
      id: "PolicyTest",
      description: "Cases for policies",
      examples: [{ cases: [EXAMPLE_CASE] }],
    }),
  output: z
    .object({
      failed: z.int().describe("Cases that have another answer"),
      results: z
        .array(
          z.object({
            name: caseName,
            expect: verdict,
            passed: z.boolean().describe("Whether the answer is the expected one"),
            answer: policyAnswer,
          }),
        )
        .readonly()
        .describe("In the order of the cases"),
    })
    .meta({
      id: "PolicyTestResult",
      description: "How cases came out",
      examples: [
        {
          failed: 0,
          results: [
            {
              ...{ name: EXAMPLE_CASE.name, expect: EXAMPLE_CASE.expect, passed: true },
              answer: {
                permitted: true,
                because: [{ name: "policy agent", reason: "An agent runs plans" }],
              },
            },
          ],
        },
      ],
    }),
  errors: [403],
  rest: { method: "POST", path: "/api/policies/test", answered: "The result of each case" },
  retry: true,
});
