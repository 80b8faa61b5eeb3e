import { accessTables } from "./access.js";
import { approvalTables } from "./approvals.js";
import { auditTables } from "./audit.js";
import { memoryTables } from "./memory.js";
import { nodeTables } from "./nodes.js";
import { planFunctions } from "./plan-changes.js";
import { planViews } from "./plan-views.js";
import { planTables } from "./plans.js";
import { retentionTables } from "./retention.js";
import { stateTables } from "./state.js";
import { usageTables } from "./usage.js";
import { webhookTables } from "./webhooks.js";

/**
 * The statements that make a store: its tables by room, one file each, with a sentence on each table.
 * Where each table is placed on a Citus cluster stands in `distribution/tables.ts`. Before the first
 * release a change of the schema is made here, and with it `FIRST_VERSION` in `migrate.ts` changes.
 */
export const firstMigration: readonly string[] = [
  ...nodeTables,
  ...planTables,
  ...planFunctions,
  ...planViews,
  ...approvalTables,
  ...usageTables,
  ...memoryTables,
  ...stateTables,
  ...accessTables,
  ...retentionTables,
  ...webhookTables,
  ...auditTables,
];
