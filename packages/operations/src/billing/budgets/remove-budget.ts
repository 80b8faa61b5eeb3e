import * as z from "zod";
import { operation } from "../../operation.js";
import { forOrganization, organization } from "../organization.js";

const budgetId = z.string().describe("Id of the budget");
const ID = "6f0c3f2a-2f0e-4c35-9d0b-0c4b7a1de9f1";

export const removeBudget = operation({
  name: "removeBudget",
  action: "budgets:write",
  audit: { kind: "budget.remove", time: "withEffect" },
  summary: "Remove a budget",
  description: "The budget no longer warns or blocks. Recorded usage stays.",
  tag: "Billing",
  input: z.strictObject({ budget_id: budgetId, ...organization }).meta({
    examples: [{ budget_id: ID }],
  }),
  output: z.object({ budget_id: budgetId, removed: z.literal(true).describe("Always true") }).meta({
    id: "RemovedBudget",
    description: "A budget that is removed",
    examples: [{ budget_id: ID, removed: true }],
  }),
  errors: [403, 404],
  rest: { method: "DELETE", path: "/billing/budgets/{budget_id}", answered: "The budget is gone" },
  grpc: { method: "UsageService/RemoveBudget" },
  cli: {
    command: "budget remove",
    summary: "Removes a budget.",
    role: "admin",
    arguments: [{ member: "budget_id", name: "budget-id", description: "Id of the budget." }],
    options: [forOrganization],
    print: "removed",
  },
  retry: false,
});
