import * as z from "zod";
import { type Infer, operation } from "../operation.js";

const names = z.array(z.string()).readonly();

/** The members of a question: whether a request would be allowed. */
export const questionShape = {
  action: z
    .string()
    .describe(
      "An action, such as plans:submit, the intent of a statement, such as write_delete, or memory:record",
    ),
  roles: names.exactOptional().describe("Roles of the caller; default: none"),
  permissions: names.exactOptional().describe("Permissions of the caller; default: none"),
  user_id: z.string().exactOptional().describe("The person who asks or whom the agent acts for"),
  agent_id: z.string().exactOptional().describe("The agent that asks; absent: a person"),
  data_source: z.string().exactOptional().describe("The data source of a statement"),
  tables: names.exactOptional().describe("The tables that the statement is about"),
  columns: names
    .exactOptional()
    .describe("The columns that the statement is about, as in customers.email"),
} as const;

/** The answer to a question: the decision and its reasons. */
export const policyAnswer = z
  .object({
    permitted: z.boolean().describe("Whether the caller may"),
    code: z.string().exactOptional().describe("POLICY_DENIED or APPROVAL_REQUIRED"),
    message: z.string().exactOptional().describe("Why not, as the caller would be told"),
    because: z
      .array(
        z.object({
          name: z.string().describe("The policy, or the part of the statement"),
          reason: z.string().describe("What it says"),
        }),
      )
      .readonly()
      .describe("The policies that decided and what they say, and what would help"),
    rows_changed_max: z
      .int()
      .exactOptional()
      .describe("Rows that the statement may change, where a policy lowers the limit"),
  })
  .meta({
    id: "PolicyAnswer",
    description: "The decision, with its reasons",
    examples: [
      {
        permitted: false,
        code: "POLICY_DENIED",
        message: "Salaries are for people: denied here is table salaries",
        because: [{ name: "policy no-salaries", reason: "Salaries are for people" }],
      },
    ],
  });

export type PolicyAnswer = Infer<typeof policyAnswer>;

export const explainPolicies = operation({
  name: "explainPolicies",
  action: "policies:read",
  summary: "Explain whether a request would be allowed",
  description: "Decides by the policies in force for your organization. Nothing is executed.",
  tag: "Policies",
  input: z.strictObject(questionShape).meta({
    id: "PolicyQuestion",
    description: "Whether somebody may do something",
    examples: [
      {
        action: "read_select",
        roles: ["agent"],
        agent_id: "bot",
        data_source: "shop",
        tables: ["salaries"],
      },
    ],
  }),
  output: policyAnswer,
  errors: [403],
  rest: {
    method: "POST",
    path: "/api/policies/explain",
    answered: "The decision, with its reasons",
  },
  retry: true,
});
