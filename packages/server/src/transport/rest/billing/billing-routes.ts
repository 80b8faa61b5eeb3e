import type { Services } from "../../services.js";
import { addPaymentFormRoutes } from "./payment-form-routes.js";
import { addPaymentRoutes } from "./payment-routes.js";
import { addPricingRoutes } from "./pricing-routes.js";
import type { RestApp } from "../rest-app.js";
import { addUsageRoutes } from "./usage-routes.js";

/** Everything under `/billing` (Contract §4.5). */
export function addBillingRoutes(app: RestApp, { usage, payments, signIn }: Services): void {
  addUsageRoutes(app, usage);
  addPricingRoutes(app, usage);
  addPaymentRoutes(app, payments);
  addPaymentFormRoutes(app, payments, signIn);
}
