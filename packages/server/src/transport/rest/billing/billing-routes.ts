import { billingOperations } from "../../operations/billing.js";
import { paymentOperations } from "../../operations/payments.js";
import { addOperationRoutes } from "../../operations/wires/rest-routes.js";
import { usageReports } from "../../operations/usage.js";
import type { Services } from "../../services.js";
import { addSetupPage } from "./payment-routes.js";
import type { RestApp } from "../rest-app.js";
import { addReportedUsage } from "./usage-routes.js";

/** Everything under `/billing` (Contract §4.5). */
export function addBillingRoutes(app: RestApp, services: Services): void {
  const { usage, payments, signIn } = services;
  addOperationRoutes(app, usageReports(services));
  addReportedUsage(app, usage);
  addOperationRoutes(app, billingOperations(services));
  addOperationRoutes(app, paymentOperations(services));
  addSetupPage(app, payments, signIn);
}
