// Written by `npm run operations:gen` from packages/operations; do not edit.
import type { Routes } from "../operations/operation-calls.js";

export const APPROVALS: Routes = {
  listApprovals: "GET /api/approvals",
  getApproval: "GET /api/approvals/{approval_id}",
  grantApproval: "POST /api/approvals/{approval_id}/approve body retry",
  denyApproval: "POST /api/approvals/{approval_id}/deny body retry",
  revokeApproval: "POST /api/approvals/{approval_id}/revoke retry",
};

export const AUDIT: Routes = {
  listAuditRecords: "GET /api/audit/records",
  getAuditRecord: "GET /api/audit/records/{index}",
  proveAuditConsistency: "GET /api/audit/consistency",
  listAuditWitnesses: "GET /api/audit/witnesses",
};

export const BILLING: Routes = {
  getUsage: "GET /billing/usage",
  getUsageHeatMap: "GET /billing/usage/heatmap",
  getStorageUsage: "GET /billing/usage/storage",
  getOrganizationUsage: "GET /billing/usage/organizations",
  verifyUsage: "POST /billing/usage/verify body retry",
  listPrices: "GET /billing/prices",
  setPrice: "POST /billing/prices body",
  repriceUsage: "POST /billing/reprice body retry",
  listBudgets: "GET /billing/budgets",
  setBudget: "POST /billing/budgets body retry",
  removeBudget: "DELETE /billing/budgets/{budget_id}",
  createSetupIntent: "POST /billing/setup-intent body retry key",
  listPaymentMethods: "GET /billing/payment-methods",
  detachPaymentMethod: "DELETE /billing/payment-methods/{pm_id}",
  createPaymentCustomer: "POST /billing/customers retry",
  rebindPaymentCustomer: "PUT /billing/customers/{customer_id} body retry",
  getPaymentForm: "GET /billing/payment-form",
};

export const CATALOG: Routes = {
  listCatalog: "GET /api/catalog",
  checkDataSources: "GET /api/catalog/check",
  listTables: "GET /api/catalog/tables",
  searchCatalog: "POST /api/catalog/search body retry",
  describeTable: "POST /api/catalog/describe body retry",
};

export const KEYS: Routes = {
  createApiKey: "POST /api/keys body",
  listApiKeys: "GET /api/keys",
  rotateApiKey: "POST /api/keys/{key_id}/rotate body",
  revokeApiKey: "DELETE /api/keys/{key_id} retry",
};

export const MEMORY: Routes = {
  searchMemory: "POST /api/memory/search body retry",
  addMemoryEntry: "POST /api/memory/entries body",
  listMemoryEntries: "GET /api/memory/entries",
  getMemoryEntry: "GET /api/memory/entries/{entry_id}",
  deleteMemoryEntry: "DELETE /api/memory/entries/{entry_id}",
  deleteMemorySession: "DELETE /api/memory/sessions/{session_id}",
  getMemoryStats: "GET /api/memory/stats",
  getMemoryRetention: "GET /api/memory/retention",
  setMemoryRetention: "PUT /api/memory/retention body retry",
};

export const MIGRATIONS: Routes = {
  listMigrations: "GET /api/state/migrations",
  getMigration: "GET /api/state/migrations/{migration_id}",
  verifyMigration: "POST /api/state/migrations/{migration_id}/verify retry",
  applyMigration: "POST /api/state/migrations/{migration_id}/apply body retry",
  revertMigration: "POST /api/state/migrations/{migration_id}/revert body retry",
  resumeMigration: "POST /api/state/migrations/{migration_id}/resume body",
  undoMigration: "POST /api/state/migrations/{migration_id}/undo body",
  compareSchemas: "GET /api/state/schema-diff",
  dumpSchema: "GET /api/state/schema",
  getSchemaDrift: "GET /api/state/drift",
  acceptSchemaDrift: "POST /api/state/drift body retry",
};

export const PLANS: Routes = {
  listPlans: "GET /api/plans",
  getPlan: "GET /api/plans/{plan_id}",
  getStep: "GET /api/plans/{plan_id}/steps/{step_id}",
  cancelPlan: "DELETE /api/plans/{plan_id} retry",
  retryPlan: "POST /api/plans/{plan_id}/retry",
  appendSteps: "POST /api/plans/{plan_id}/steps body retry key",
  reviseStep: "PATCH /api/plans/{plan_id}/steps/{step_id} body retry key",
  forkPlan: "POST /api/plans/{plan_id}/fork body retry key",
  finishPlan: "POST /api/plans/{plan_id}/finish retry",
};

export const POLICIES: Routes = {
  getPolicies: "GET /api/policies",
  putPolicies: "PUT /api/policies body",
  checkPolicies: "POST /api/policies/check body retry",
  explainPolicies: "POST /api/policies/explain body retry",
  testPolicies: "POST /api/policies/test body retry",
};

export const RETENTION: Routes = {
  getRetention: "GET /api/retention",
  setRetention: "PUT /api/retention body retry",
  placeHold: "POST /api/holds body",
  listHolds: "GET /api/holds",
  liftHold: "DELETE /api/holds/{hold_id}",
  estimateErasure: "POST /api/erasures/estimate body retry",
  beginErasure: "POST /api/erasures body",
  listErasures: "GET /api/erasures",
  getErasure: "GET /api/erasures/{erasure_id}",
};

export const STATE: Routes = {
  listStateRefs: "GET /api/state/refs",
  moveStateRef: "POST /api/state/refs body",
  getStateLog: "GET /api/state/log",
  getStateDiff: "GET /api/state/diff",
  getStateAt: "GET /api/state/at",
  queryState: "POST /api/state/query body retry",
  proveState: "GET /api/state/proof",
  mergeState: "POST /api/state/merge body",
  revertState: "POST /api/state/revert body",
  checkState: "POST /api/state/fsck retry",
  collectState: "POST /api/state/gc retry",
};

export const SYSTEM: Routes = { getSystemStatus: "GET /api/system" };

export const WEBHOOKS: Routes = {
  listWebhookDeliveries: "GET /api/webhooks/deliveries",
  retryWebhookDeliveries: "POST /api/webhooks/deliveries/retry body retry",
  testWebhook: "POST /api/webhooks/test body",
};
