import * as z from "zod";
import { operation } from "../../operation.js";
import { forOrganization, organization } from "../organization.js";
import { budget } from "./budget.js";

export const listBudgets = operation({
  name: "listBudgets",
  action: "budgets:read",
  summary: "List the budgets",
  description:
    "Every budget of your organization with what is recorded against it in the present period. A budget of " +
    "sessions is shown with the usage of the session that x-session-id names.",
  tag: "Billing",
  input: z.strictObject(organization),
  output: z.array(budget).readonly(),
  errors: [403],
  rest: { method: "GET", path: "/billing/budgets", answered: "The budgets" },
  grpc: { method: "UsageService/ListBudgets", response: "budgets" },
  cli: {
    command: "budget list",
    summary: "Lists the budgets.",
    role: "admin",
    options: [forOrganization],
    columns: [
      { title: "BUDGET", member: "budget_id", whole: true },
      { title: "OF", member: "scope" },
      { title: "USED", member: "used", align: "right" },
      { title: "LEFT", member: "remaining", align: "right" },
      { title: "LIMIT", member: "limit", align: "right" },
      { title: "UNIT", member: "unit" },
      { title: "PER", member: "period" },
      { title: "THEN", member: "action" },
      { title: "SET BY", member: "set_by" },
    ],
    empty: "no budgets: usage has no limit",
  },
});
