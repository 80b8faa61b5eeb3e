import * as z from "zod";
import type { Message } from "../envelope.js";

const EXAMPLE_TEXT = `@id("no-salaries")
@reason("Salaries are for people")
forbid (principal is Steward::Agent, action, resource == Steward::Table::"shop/salaries");`;

const text = z.string().describe("Policies in Cedar");
const version = z.int().min(0);
const names = z.array(z.string()).readonly();

const policiesShape = {
  /** Version of the organization's own policies; 0: it has none. */
  version: version.describe("Version of your organization's own policies; 0: it has none"),
  /** The organization's own policies, in Cedar. */
  text: text.describe("Your organization's own policies, in Cedar"),
  /** The user, agent or API key that put them into force. */
  changed_by: z.string().exactOptional().describe("Who put them"),
  /** RFC 3339, UTC. */
  changed_at: z
    .string()
    .meta({ format: "date-time" })
    .exactOptional()
    .describe("When they were put, in UTC"),
  /** The shipped policies, which every organization has, in Cedar. */
  shipped: text.describe("The policies that every organization begins with, in Cedar"),
};

/** The policies in force for an organization. */
export interface Policies extends Message<typeof policiesShape> {}

export const policiesSchema: z.ZodType<Policies> = z.object(policiesShape).meta({
  id: "Policies",
  description: "The policies that count for an organization",
  examples: [
    {
      version: 3,
      text: EXAMPLE_TEXT,
      changed_by: "ada",
      changed_at: "2026-03-01T09:30:00.000Z",
      shipped: '@id("operator") permit (principal in Steward::Role::"operator", action, resource);',
    },
  ],
});

const newPoliciesShape = {
  text,
  /** The version that these policies replace; 0: there are none yet. */
  version: version.describe("The version that these policies follow; 0: there are none yet"),
};

/** An organization's own policies, to put into force. */
export interface NewPolicies extends Message<typeof newPoliciesShape> {}

export const newPoliciesSchema: z.ZodType<NewPolicies> = z.strictObject(newPoliciesShape).meta({
  id: "NewPolicies",
  description: "Policies to be put in force",
  examples: [{ text: EXAMPLE_TEXT, version: 2 }],
});

const putPoliciesShape = { version: version.describe("The version that is in force now") };

/** The answer to putting policies into force. */
export interface PutPolicies extends Message<typeof putPoliciesShape> {}

export const putPoliciesSchema: z.ZodType<PutPolicies> = z
  .object(putPoliciesShape)
  .meta({ id: "PutPolicies", description: "Policies are in force", examples: [{ version: 3 }] });

const policyTextShape = { text };

/** Policies to check. */
export interface PolicyText extends Message<typeof policyTextShape> {}

export const policyTextSchema: z.ZodType<PolicyText> = z.strictObject(policyTextShape).meta({
  id: "PolicyText",
  description: "Policies to be checked",
  examples: [{ text: EXAMPLE_TEXT }],
});

const problemShape = {
  line: z.int().describe("From 1"),
  column: z.int().describe("From 1"),
  message: z.string().describe("What is wrong"),
};

/** One mistake in a text of policies. */
export interface PolicyProblem extends Message<typeof problemShape> {}

const problemSchema: z.ZodType<PolicyProblem> = z.object(problemShape);

const policyCheckShape = {
  problems: z.array(problemSchema).readonly().describe("Empty: the policies may be put"),
};

/** The result of a check. */
export interface PolicyCheck extends Message<typeof policyCheckShape> {}

export const policyCheckSchema: z.ZodType<PolicyCheck> = z.object(policyCheckShape).meta({
  id: "PolicyCheck",
  description: "What a check of policies found",
  examples: [{ problems: [{ line: 3, column: 8, message: "attribute `rank` not found" }] }],
});

/** Fields of a question. */
const questionShape = {
  /** An action, such as `plans:submit`, the intent of a statement, such as `write_delete`, or `memory:record`. */
  action: z
    .string()
    .describe(
      "An action, such as plans:submit, the intent of a statement, such as write_delete, or memory:record",
    ),
  roles: names.exactOptional().describe("Roles of the caller; default: none"),
  permissions: names.exactOptional().describe("Permissions of the caller; default: none"),
  user_id: z.string().exactOptional().describe("The person who asks or whom the agent acts for"),
  agent_id: z.string().exactOptional().describe("The agent that asks; absent: a person"),
  /** The data source of a statement. */
  data_source: z.string().exactOptional().describe("The data source of a statement"),
  /** The tables of the statement. */
  tables: names.exactOptional().describe("The tables that the statement is about"),
  /** The columns of the statement, as in `customers.email`. */
  columns: names
    .exactOptional()
    .describe("The columns that the statement is about, as in customers.email"),
} as const;

/** A question to the policies: whether a request would be allowed. */
export interface PolicyQuestion extends Message<typeof questionShape> {}

export const policyQuestionSchema: z.ZodType<PolicyQuestion> = z.strictObject(questionShape).meta({
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
});

const policyAnswerShape = {
  permitted: z.boolean().describe("Whether the caller may"),
  /** `POLICY_DENIED` or `APPROVAL_REQUIRED`. */
  code: z.string().exactOptional().describe("POLICY_DENIED or APPROVAL_REQUIRED"),
  /** The message that the caller would get for a denial. */
  message: z.string().exactOptional().describe("Why not, as the caller would be told"),
  /** The policies that decided, with their reasons and advice. */
  because: z
    .array(
      z.object({
        name: z.string().describe("The policy, or the part of the statement"),
        reason: z.string().describe("What it says"),
      }),
    )
    .readonly()
    .describe("The policies that decided and what they say, and what would help"),
  /** Maximum number of rows that the statement may change, when a policy lowers the limit. */
  rows_changed_max: z
    .int()
    .exactOptional()
    .describe("Rows that the statement may change, where a policy lowers the limit"),
};

/** The answer to a question: the decision and its reasons. */
export interface PolicyAnswer extends Message<typeof policyAnswerShape> {}

export const policyAnswerSchema: z.ZodType<PolicyAnswer> = z.object(policyAnswerShape).meta({
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

/** Maximum number of cases of one test. */
const POLICY_CASES_MAX = 500;

const caseName = z.string().describe("What the case says");
const verdict = z
  .enum(["permit", "deny", "approval"])
  .describe("The answer that the question should have");

/** The expected answer to a question. */
export type PolicyVerdict = z.output<typeof verdict>;

const policyCaseShape = { name: caseName, expect: verdict, ...questionShape };

/** A question with its expected answer. */
export interface PolicyCase extends Message<typeof policyCaseShape> {}

const policyCaseSchema: z.ZodType<PolicyCase> = z.strictObject(policyCaseShape);

const policyCaseResultShape = {
  name: caseName,
  expect: verdict,
  passed: z.boolean().describe("Whether the answer is the expected one"),
  answer: policyAnswerSchema,
};

export interface PolicyCaseResult extends Message<typeof policyCaseResultShape> {}

const policyCaseResultSchema: z.ZodType<PolicyCaseResult> = z.object(policyCaseResultShape);

const EXAMPLE_CASE = {
  ...{ name: "an agent reads orders", expect: "permit" },
  ...{ action: "read_select", roles: ["agent"], data_source: "shop", tables: ["orders"] },
} as const;

const policyTestShape = {
  cases: z
    .array(policyCaseSchema)
    .max(POLICY_CASES_MAX)
    .readonly()
    .describe("Questions with the answers that they should have"),
  /** A draft to test instead of your organization's own policies in force. It is not stored. */
  text: z
    .string()
    .exactOptional()
    .describe(
      "Policies in Cedar to try them on instead of your organization's own that are in force; nothing of them is kept",
    ),
};

/** Cases to test against policies. */
export interface PolicyTest extends Message<typeof policyTestShape> {}

export const policyTestSchema: z.ZodType<PolicyTest> = z.strictObject(policyTestShape).meta({
  id: "PolicyTest",
  description: "Cases for policies",
  examples: [{ cases: [EXAMPLE_CASE] }],
});

const policyTestResultShape = {
  /** Number of cases with another answer than expected. */
  failed: z.int().describe("Cases that have another answer"),
  results: z.array(policyCaseResultSchema).readonly().describe("In the order of the cases"),
};

/** The results of the cases, in their order. */
export interface PolicyTestResult extends Message<typeof policyTestResultShape> {}

export const policyTestResultSchema: z.ZodType<PolicyTestResult> = z
  .object(policyTestResultShape)
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
  });
