import { requireBillingAdmin } from "../../governance/index.js";
import type { Services } from "../services.js";
import { addPaymentRoutes } from "./payment-routes.js";
import { addPricingRoutes } from "./pricing-routes.js";
import type { RestApp } from "./rest-app.js";
import { addUsageRoutes } from "./usage-routes.js";

/**
 * Everything under `/billing`: for billing admins only, which is asked before anything else of a
 * request is looked at (Contract §5).
 */
export function addBillingRoutes(app: RestApp, { usage, payments }: Services): void {
  app.addHook("onRequest", ({ context }, _reply, done) => {
    requireBillingAdmin(context);
    done();
  });
  addUsageRoutes(app, usage);
  addPricingRoutes(app, usage);
  addPaymentRoutes(app, payments);
}
