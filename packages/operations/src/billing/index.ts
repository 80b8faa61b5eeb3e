import { operationTable } from "../operation.js";
import { listBudgets } from "./budgets/list-budgets.js";
import { removeBudget } from "./budgets/remove-budget.js";
import { setBudget } from "./budgets/set-budget.js";
import { createPaymentCustomer } from "./payments/create-payment-customer.js";
import { createSetupIntent } from "./payments/create-setup-intent.js";
import { detachPaymentMethod } from "./payments/detach-payment-method.js";
import { getPaymentForm } from "./payments/get-payment-form.js";
import { listPaymentMethods } from "./payments/list-payment-methods.js";
import { rebindPaymentCustomer } from "./payments/rebind-payment-customer.js";
import { listPrices } from "./prices/list-prices.js";
import { repriceUsage } from "./prices/reprice-usage.js";
import { setPrice } from "./prices/set-price.js";
import { getOrganizationUsage } from "./usage/get-organization-usage.js";
import { getStorageUsage } from "./usage/get-storage-usage.js";
import { getUsageHeatMap } from "./usage/get-usage-heat-map.js";
import { getUsage } from "./usage/get-usage.js";
import { verifyUsage } from "./usage/verify-usage.js";

/** Usage, prices, budgets and payment methods, for billing admins (Contract §4.5). */
export const billing = operationTable({
  getUsage,
  getUsageHeatMap,
  getStorageUsage,
  getOrganizationUsage,
  verifyUsage,
  listPrices,
  setPrice,
  repriceUsage,
  listBudgets,
  setBudget,
  removeBudget,
  createSetupIntent,
  listPaymentMethods,
  detachPaymentMethod,
  createPaymentCustomer,
  rebindPaymentCustomer,
  getPaymentForm,
});
