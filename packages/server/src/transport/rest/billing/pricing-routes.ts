import {
  newBudgetSchema,
  budgetSchema,
  dataOf,
  newPriceSchema,
  organizationQuerySchema,
  priceSchema,
  removedBudgetSchema,
  repriceRequestSchema,
  repricingSchema,
} from "@steward/protocol/rest";
import * as z from "zod";
import type { UsageService } from "../../../usage/index.js";
import { errors, json } from "../described-replies.js";
import { pathText } from "../path-text.js";
import type { RestApp } from "../rest-app.js";
import {
  budgetMessage,
  budgetStateMessage,
  priceMessage,
  repricingMessage,
} from "./usage-messages.js";

const tags = ["Billing"];

/** Prices and budgets. */
export function addPricingRoutes(app: RestApp, usage: UsageService): void {
  addPrices(app, usage);
  addRepricing(app, usage);
  addBudgets(app, usage);
  addBudgetRemoval(app, usage);
}

function addPrices(app: RestApp, usage: UsageService): void {
  const list = {
    operationId: "listPrices",
    summary: "List the prices, past and future ones too",
    description: "All prices, each with the period it applies to.",
    tags,
    querystring: organizationQuerySchema,
    response: { 200: json("The prices", dataOf(z.array(priceSchema).readonly())), ...errors(403) },
  };
  app.get("/billing/prices", { schema: list }, async ({ query, context }) => ({
    data: (await usage.prices(context, query.org_id)).map(priceMessage),
  }));
  const set = {
    operationId: "setPrice",
    summary: "Set a price",
    description:
      "A price without an end ends where the new one begins; any other overlap is refused. Recorded calls " +
      "keep their cost. It needs the role operator, because prices belong to the operator.",
    tags,
    body: newPriceSchema,
    response: { 201: json("The price is set", dataOf(priceSchema)), ...errors(403) },
  };
  app.post("/billing/prices", { schema: set }, async ({ body, context }, reply) => {
    const price = await usage.setPrice(context, body);
    void reply.code(201);
    return { data: priceMessage(price) };
  });
}

function addRepricing(app: RestApp, usage: UsageService): void {
  const schema = {
    operationId: "repriceUsage",
    summary: "Price recorded calls again",
    description:
      "Applies the present price list. Differences are added as corrections; no row is edited. It needs the role operator.",
    tags,
    body: repriceRequestSchema,
    response: { 200: json("The result", dataOf(repricingSchema)), ...errors(403) },
  };
  app.post("/billing/reprice", { schema }, async ({ body, context }) => ({
    data: repricingMessage(await usage.reprice(context, body)),
  }));
}

function addBudgets(app: RestApp, usage: UsageService): void {
  const list = {
    operationId: "listBudgets",
    summary: "List the budgets",
    description:
      "Every budget of your organization with what is recorded against it in the present period. A budget of " +
      "sessions is shown with the usage of the session that x-session-id names.",
    tags,
    querystring: organizationQuerySchema,
    response: {
      200: json("The budgets", dataOf(z.array(budgetSchema).readonly())),
      ...errors(403),
    },
  };
  app.get("/billing/budgets", { schema: list }, async ({ query, context }) => ({
    data: (await usage.budgets(context, query.org_id)).map(budgetStateMessage),
  }));
  const set = {
    operationId: "setBudget",
    summary: "Set a budget",
    description:
      "Replaces the budget with the same scope, unit, period and action. A budget set by the role operator " +
      "is the operator's: no budget of the organization may allow more, and only the operator can remove " +
      "it.",
    tags,
    body: newBudgetSchema,
    response: { 201: json("The budget is set", dataOf(budgetSchema)), ...errors(403) },
  };
  app.post("/billing/budgets", { schema: set }, async ({ body, context }, reply) => {
    const budget = await usage.setBudget(context, body);
    void reply.code(201);
    return { data: budgetMessage(budget) };
  });
}

function addBudgetRemoval(app: RestApp, usage: UsageService): void {
  const schema = {
    operationId: "removeBudget",
    summary: "Remove a budget",
    description: "The budget no longer warns or blocks. Recorded usage stays.",
    tags,
    querystring: organizationQuerySchema,
    params: z.object({ budget_id: pathText("Id of the budget") }),
    response: { 200: json("The budget is gone", dataOf(removedBudgetSchema)), ...errors(403, 404) },
  };
  app.delete("/billing/budgets/:budget_id", { schema }, async ({ params, query, context }) => {
    const { budget_id } = params;
    await usage.removeBudget(context, budget_id, query.org_id);
    return { data: { budget_id, removed: true as const } };
  });
}
