import { accessTables } from "./access.js";
import { approvalTables } from "./approvals.js";
import { auditTables } from "./audit.js";
import { memoryTables } from "./memory.js";
import { planViews } from "./plan-views.js";
import { planTables } from "./plans.js";
import { retentionTables } from "./retention.js";
import { usageTables } from "./usage.js";
import { webhookTables } from "./webhooks.js";

/**
 * The migration that makes a store: its tables by room, one file each, with a sentence on each table.
 * Before the first release a change of the schema is made here, and with it `FIRST_VERSION` in
 * `migrate.ts` changes.
 */
export const firstMigration: string = [
  planTables,
  planViews,
  approvalTables,
  usageTables,
  memoryTables,
  accessTables,
  retentionTables,
  webhookTables,
  auditTables,
].join("");
