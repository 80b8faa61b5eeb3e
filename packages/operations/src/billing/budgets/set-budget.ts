import * as z from "zod";
import { operation } from "../../operation.js";
import { forOrganization, organization } from "../organization.js";
import { budget, limitShape } from "./budget.js";

export const setBudget = operation({
  name: "setBudget",
  action: "budgets:write",
  audit: { kind: "budget.set", time: "withEffect" },
  summary: "Set a budget",
  description:
    "Replaces the budget with the same scope, unit, period and action. A budget set by the role operator " +
    "is the operator's: no budget of the organization may allow more, and only the operator can remove " +
    "it.",
  tag: "Billing",
  // The schema checks shapes only; the service checks the values.
  input: z.strictObject({ ...limitShape, ...organization }).meta({
    id: "NewBudget",
    description: "A new budget",
    examples: [
      { scope: "organization", unit: "usd", period: "month", limit: "100", action: "block" },
    ],
  }),
  output: budget,
  errors: [403],
  rest: { method: "POST", path: "/billing/budgets", status: 201, answered: "The budget is set" },
  grpc: { method: "UsageService/SetBudget", response: "budget" },
  cli: {
    command: "budget set",
    summary: "Sets a budget, in the place of one for the same; an operator's is a ceiling.",
    role: "admin",
    arguments: [
      { member: "limit", description: "Whole AAUs, or decimal dollars." },
      { member: "unit", description: "aau or usd." },
    ],
    options: [
      forOrganization,
      {
        member: "scope",
        flags: "--scope <scope>",
        description: "The whole organization, or each session.",
        choices: ["organization", "session"],
        default: "organization",
      },
      {
        member: "period",
        flags: "--period <period>",
        description: "The period it applies to, in UTC.",
        choices: ["day", "month", "total"],
        default: "month",
      },
      {
        member: "action",
        flags: "--action <action>",
        description: "What happens to a call that exceeds it.",
        choices: ["warn", "block"],
        default: "block",
      },
    ],
    print: "{budget_id}",
  },
  retry: true,
});
