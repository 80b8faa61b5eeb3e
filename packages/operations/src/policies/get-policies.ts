import * as z from "zod";
import { operation } from "../operation.js";
import { EXAMPLE_TEXT, text, version } from "./policies-in-force.js";

export const getPolicies = operation({
  name: "getPolicies",
  action: "policies:read",
  summary: "Show the policies in force",
  description:
    "Your organization's own policies, and the shipped policies, which every organization has.",
  tag: "Policies",
  input: z.strictObject({}),
  output: z
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
    }),
  errors: [403],
  rest: { method: "GET", path: "/api/policies", answered: "The policies" },
});
