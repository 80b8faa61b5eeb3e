import * as z from "zod";

/** The policies that count for an organization. */
export interface Policies {
  /** Version of the organization's own policies; 0: it has none. */
  readonly version: number;
  /** The organization's own policies, in Cedar. */
  readonly text: string;
  /** Who put them. */
  readonly changed_by?: string;
  /** RFC 3339, UTC. */
  readonly changed_at?: string;
  /** The policies that every organization begins with, in Cedar. */
  readonly shipped: string;
}

/** An organization's own policies, to be put in force. */
export interface NewPolicies {
  readonly text: string;
  /** The version that these policies follow; 0: there are none yet. */
  readonly version: number;
}

/** The answer to putting policies. */
export interface PutPolicies {
  readonly version: number;
}

/** Policies to be checked. */
export interface PolicyText {
  readonly text: string;
}

/** One mistake in a text of policies. */
export interface PolicyProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** What a check of policies found. */
export interface PolicyCheck {
  readonly problems: readonly PolicyProblem[];
}

/** Whether somebody may do something. */
export interface PolicyQuestion {
  /** An action, such as `plans:submit`, the intent of a statement, such as `write_delete`, or `memory:record`. */
  readonly action: string;
  readonly roles?: readonly string[];
  readonly permissions?: readonly string[];
  readonly user_id?: string;
  readonly agent_id?: string;
  /** The data source of a statement. */
  readonly data_source?: string;
  /** The tables that the statement is about. */
  readonly tables?: readonly string[];
  /** The columns that the statement is about, as in `customers.email`. */
  readonly columns?: readonly string[];
}

/** What the policies say to a question. */
export interface PolicyAnswer {
  readonly permitted: boolean;
  /** `POLICY_DENIED` or `APPROVAL_REQUIRED`. */
  readonly code?: string;
  /** Why not, as the caller would be told. */
  readonly message?: string;
  /** The policies that decided and what they say, and what would help. */
  readonly because: readonly { readonly name: string; readonly reason: string }[];
  /** Rows that the statement may change, where a policy lowers the limit. */
  readonly rows_changed_max?: number;
}

const EXAMPLE_TEXT = `@id("no-salaries")
@reason("Salaries are for people")
forbid (principal is Steward::Agent, action, resource == Steward::Table::"shop/salaries");`;

const text = z.string().describe("Policies in Cedar");
const version = z.int().min(0);
const names = z.array(z.string()).readonly();

export const policiesSchema: z.ZodType<Policies> = z
  .object({
    version: version.describe("Version of your organization's own policies; 0: it has none"),
    text: text.describe("Your organization's own policies, in Cedar"),
    changed_by: z.string().exactOptional().describe("Who put them"),
    changed_at: z
      .string()
      .meta({ format: "date-time" })
      .exactOptional()
      .describe("When they were put, in UTC"),
    shipped: text.describe("The policies that every organization begins with, in Cedar"),
  })
  .meta({
    id: "Policies",
    description: "The policies that count for an organization",
    examples: [
      {
        version: 3,
        text: EXAMPLE_TEXT,
        changed_by: "ada",
        changed_at: "2026-03-01T09:30:00.000Z",
        shipped:
          '@id("operator") permit (principal in Steward::Role::"operator", action, resource);',
      },
    ],
  });

export const newPoliciesSchema: z.ZodType<NewPolicies> = z
  .strictObject({
    text,
    version: version.describe("The version that these policies follow; 0: there are none yet"),
  })
  .meta({
    id: "NewPolicies",
    description: "Policies to be put in force",
    examples: [{ text: EXAMPLE_TEXT, version: 2 }],
  });

export const putPoliciesSchema: z.ZodType<PutPolicies> = z
  .object({ version: version.describe("The version that is in force now") })
  .meta({ id: "PutPolicies", description: "Policies are in force", examples: [{ version: 3 }] });

export const policyTextSchema: z.ZodType<PolicyText> = z.strictObject({ text }).meta({
  id: "PolicyText",
  description: "Policies to be checked",
  examples: [{ text: EXAMPLE_TEXT }],
});

const problem = z.object({
  line: z.int().describe("From 1"),
  column: z.int().describe("From 1"),
  message: z.string().describe("What is wrong"),
});

export const policyCheckSchema: z.ZodType<PolicyCheck> = z
  .object({ problems: z.array(problem).readonly().describe("Empty: the policies may be put") })
  .meta({
    id: "PolicyCheck",
    description: "What a check of policies found",
    examples: [{ problems: [{ line: 3, column: 8, message: "attribute `rank` not found" }] }],
  });

/** Fields of a question. */
const questionShape = {
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

export const policyAnswerSchema: z.ZodType<PolicyAnswer> = z
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
    description: "What the policies say",
    examples: [
      {
        permitted: false,
        code: "POLICY_DENIED",
        message: "Salaries are for people: denied here is table salaries",
        because: [{ name: "policy no-salaries", reason: "Salaries are for people" }],
      },
    ],
  });

/** Cases of one test of policies. */
const POLICY_CASES_MAX = 500;

/** What policies should say to a question. */
export type PolicyVerdict = "permit" | "deny" | "approval";

/** A question with the answer that it should have. */
export interface PolicyCase extends PolicyQuestion {
  readonly name: string;
  readonly expect: PolicyVerdict;
}

/** Cases to be tried on policies. */
export interface PolicyTest {
  readonly cases: readonly PolicyCase[];
  /** Policies to try them on instead of your organization's own that are in force. Nothing of them is kept. */
  readonly text?: string;
}

/** How a case came out. */
export interface PolicyCaseResult {
  readonly name: string;
  readonly expect: PolicyVerdict;
  readonly passed: boolean;
  readonly answer: PolicyAnswer;
}

/** How the cases came out, in their order. */
export interface PolicyTestResult {
  /** Cases that have another answer. */
  readonly failed: number;
  readonly results: readonly PolicyCaseResult[];
}

const caseName = z.string().describe("What the case says");
const verdict = z
  .enum(["permit", "deny", "approval"])
  .describe("The answer that the question should have");

const EXAMPLE_CASE = {
  ...{ name: "an agent reads orders", expect: "permit" },
  ...{ action: "read_select", roles: ["agent"], data_source: "shop", tables: ["orders"] },
} as const;

export const policyTestSchema: z.ZodType<PolicyTest> = z
  .strictObject({
    cases: z
      .array(z.strictObject({ name: caseName, expect: verdict, ...questionShape }))
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
  });

export const policyTestResultSchema: z.ZodType<PolicyTestResult> = z
  .object({
    failed: z.int().describe("Cases that have another answer"),
    results: z
      .array(
        z.object({
          name: caseName,
          expect: verdict,
          passed: z.boolean().describe("Whether the answer is the expected one"),
          answer: policyAnswerSchema,
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
  });
