import {
  dailyUsageSchema,
  dataOf,
  heatMapRowSchema,
  organizationUsagePageSchema,
  organizationUsageQuerySchema,
  storageUsageSchema,
  USAGE_EVENTS_MAX,
  usageCloudEventSchema,
  usageDifferenceSchema,
  usageIngestionSchema,
  usageQuerySchema,
  verifyUsageRequestSchema,
} from "@steward/protocol/rest";
import * as z from "zod";
import type { UsageService } from "../../../usage/index.js";
import { sendCsv, table, wantsCsv } from "./csv-replies.js";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";
import { zodValidation } from "../validation/validation.js";
import {
  dailyUsageCsv,
  dailyUsageMessages,
  differenceMessage,
  externalEventOf,
  heatMapCsv,
  heatMapMessages,
  organizationUsageMessage,
  storageUsageMessage,
} from "./usage-messages.js";

const tags = ["Billing"];

/** Usage reports, and usage that other systems report (Contract §4.5). */
export function addUsageRoutes(app: RestApp, usage: UsageService): void {
  addDailyUsage(app, usage);
  addHeatMap(app, usage);
  addStorage(app, usage);
  addOrganizations(app, usage);
  addEvents(app, usage);
  addVerification(app, usage);
}

function addDailyUsage(app: RestApp, usage: UsageService): void {
  const schema = {
    operationId: "getUsage",
    summary: "Usage by day",
    description: "Days that have usage, ascending; grouped, one row for each group and day.",
    tags,
    querystring: usageQuerySchema,
    response: {
      200: table(
        "The rows",
        dataOf(z.array(dailyUsageSchema).readonly()),
        "date,action_count,total_aau,total_cost_usd\r\n2026-01-05,42,86,0.43\r\n",
      ),
      ...errors(403),
    },
  };
  app.get("/billing/usage", { schema }, async (request, reply) => {
    const csv = wantsCsv(request, request.query.format);
    const report = await usage.daily(request.context, request.query);
    if (csv) return sendCsv(reply, "usage", dailyUsageCsv(report));
    return { data: dailyUsageMessages(report) };
  });
}

function addHeatMap(app: RestApp, usage: UsageService): void {
  const schema = {
    operationId: "getUsageHeatMap",
    summary: "Usage by model and intent",
    description: "All recorded usage, added up for each ORM model and intent, as JSON or CSV.",
    tags,
    querystring: z.strictObject({
      format: z.string().exactOptional().describe("json or csv; default: as accept says"),
    }),
    response: {
      200: table(
        "The cells",
        dataOf(z.array(heatMapRowSchema).readonly()),
        "orm_model,intent,aau_weight,total_aau,action_count\r\nInvoice,write_insert,3,126,42\r\n",
      ),
      ...errors(403),
    },
  };
  app.get("/billing/usage/heatmap", { schema }, async (request, reply) => {
    const csv = wantsCsv(request, request.query.format);
    const cells = await usage.heatMap(request.context);
    if (csv) return sendCsv(reply, "usage-heatmap", heatMapCsv(cells));
    return { data: heatMapMessages(cells) };
  });
}

function addStorage(app: RestApp, usage: UsageService): void {
  const schema = {
    operationId: "getStorageUsage",
    summary: "What the organization stores, and its quota",
    description:
      "Bytes of texts, documents and vectors by kind of data. They are measured in the background; an organization " +
      "that was not measured yet is measured now, which takes seconds for a gigabyte.",
    tags,
    response: { 200: json("The stored bytes", dataOf(storageUsageSchema)), ...errors(403) },
  };
  app.get("/billing/usage/storage", { schema }, async ({ context }) => ({
    data: storageUsageMessage(await usage.storage(context, context.signal)),
  }));
}

function addOrganizations(app: RestApp, usage: UsageService): void {
  const schema = {
    operationId: "getOrganizationUsage",
    summary: "Usage of all organizations, for the operator",
    description:
      "What each organization used in a range of UTC days, by organization id, a page at a time. It needs the " +
      "role operator; next_cursor leads to the next page.",
    tags,
    querystring: organizationUsageQuerySchema,
    response: { 200: json("A page", dataOf(organizationUsagePageSchema)), ...errors(403) },
  };
  app.get("/billing/usage/organizations", { schema }, async ({ query }) => ({
    data: organizationUsageMessage(await usage.byOrganization(query)),
  }));
}

function addEvents(app: RestApp, usage: UsageService): void {
  const schema = {
    operationId: "reportUsage",
    summary: "Report tool calls of another system",
    description:
      "A batch of CloudEvents. Each event counts once, identified by its source and id, on the day on " +
      "which it occurred.",
    tags,
    body: z.array(usageCloudEventSchema).max(USAGE_EVENTS_MAX),
    response: {
      200: json("How many were new", dataOf(usageIngestionSchema)),
      ...errors(403, 413),
    },
  };
  const config = { tooLargeFix: "report the events in several batches" };
  const validatorCompiler = zodValidation("INVALID_ARGUMENT", "events");
  app.post("/billing/events", { schema, config, validatorCompiler }, async ({ body, context }) => ({
    data: await usage.ingest(context, body.map(externalEventOf)),
  }));
}

function addVerification(app: RestApp, usage: UsageService): void {
  const schema = {
    operationId: "verifyUsage",
    summary: "Compare the totals with the rows they are made of",
    description:
      "Adds up the recorded rows and lists the totals that differ; repairs them when asked to.",
    tags,
    body: verifyUsageRequestSchema,
    response: {
      200: json("What differed", dataOf(z.array(usageDifferenceSchema).readonly())),
      ...errors(403),
    },
  };
  app.post("/billing/usage/verify", { schema }, async ({ body, context }) => {
    const found = await usage.verify(context, { repair: body.repair ?? false });
    return { data: found.map(differenceMessage) };
  });
}
