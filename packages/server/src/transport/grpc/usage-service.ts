import { create } from "@bufbuild/protobuf";
import { UsageService as UsageGrpc } from "@steward/protocol/grpc";
import type { UsageService } from "../../usage/index.js";
import type { MethodRegistry } from "./method-registry.js";
import {
  budgetMessage,
  budgetStateMessage,
  dailyUsageMessages,
  differenceMessage,
  externalEventOf,
  given,
  heatMapMessage,
  organizationReportOf,
  organizationUsageMessage,
  priceInputOf,
  priceMessage,
  reportParametersOf,
  repricingMessage,
  storageUsageMessage,
} from "./usage-messages.js";

/** Usage, prices and budgets over gRPC, with the operations of `/billing`. */
export function addUsageService(methods: MethodRegistry, usage: UsageService): void {
  addReports(methods, usage);
  addPrices(methods, usage);
  addBudgets(methods, usage);
}

function addReports(methods: MethodRegistry, usage: UsageService): void {
  const { method } = UsageGrpc;

  methods.unary(method.getUsage, async (request, ctx) => {
    const report = await usage.daily(ctx, reportParametersOf(request));
    return create(method.getUsage.output, { rows: dailyUsageMessages(report) });
  });

  methods.unary(method.getUsageHeatMap, async (_request, ctx) => {
    const cells = await usage.heatMap(ctx);
    return create(method.getUsageHeatMap.output, { rows: cells.map(heatMapMessage) });
  });

  methods.unary(method.getStorageUsage, async (_request, ctx) =>
    storageUsageMessage(await usage.storage(ctx, ctx.signal)),
  );

  methods.unary(method.getOrganizationUsage, async (request) =>
    organizationUsageMessage(await usage.byOrganization(organizationReportOf(request))),
  );

  methods.unary(method.reportUsage, async ({ events }, ctx) => {
    const { accepted, duplicates } = await usage.ingest(ctx, events.map(externalEventOf));
    return create(method.reportUsage.output, {
      accepted: BigInt(accepted),
      duplicates: BigInt(duplicates),
    });
  });

  methods.unary(method.verifyUsage, async ({ repair }, ctx) => {
    const found = await usage.verify(ctx, { repair });
    return create(method.verifyUsage.output, { differences: found.map(differenceMessage) });
  });
}

function addPrices(methods: MethodRegistry, usage: UsageService): void {
  const { method } = UsageGrpc;

  methods.unary(method.listPrices, async ({ orgId }, ctx) => {
    const prices = await usage.prices(ctx, given(orgId));
    return create(method.listPrices.output, { prices: prices.map(priceMessage) });
  });

  methods.unary(method.setPrice, async (request, ctx) => {
    const price = await usage.setPrice(ctx, priceInputOf(request));
    return create(method.setPrice.output, { price: priceMessage(price) });
  });

  methods.unary(method.repriceUsage, async ({ from, until, orgId }, ctx) =>
    repricingMessage(await usage.reprice(ctx, { from, until, org_id: given(orgId) })),
  );
}

function addBudgets(methods: MethodRegistry, usage: UsageService): void {
  const { method } = UsageGrpc;

  methods.unary(method.listBudgets, async ({ orgId }, ctx) => {
    const budgets = await usage.budgets(ctx, given(orgId));
    return create(method.listBudgets.output, { budgets: budgets.map(budgetStateMessage) });
  });

  methods.unary(method.setBudget, async (request, ctx) => {
    const { scope, unit, period, limit, action, orgId } = request;
    const input = { scope, unit, period, limit, action, org_id: given(orgId) };
    const budget = await usage.setBudget(ctx, input);
    return create(method.setBudget.output, { budget: budgetMessage(budget) });
  });

  methods.unary(method.removeBudget, async ({ budgetId, orgId }, ctx) => {
    await usage.removeBudget(ctx, budgetId, given(orgId));
    return create(method.removeBudget.output, { budgetId });
  });
}
