/** The commands of billing admins. */
export { budgetCommand } from "./budget.js";
export { paymentsCommand } from "./payments.js";
export { priceCommand } from "./price.js";
export { usageCommand } from "./usage.js";
