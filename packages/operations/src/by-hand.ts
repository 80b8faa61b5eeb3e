import type { Audit, ResolvedParameters } from "./operation.js";

/** An operation that is written by hand, because nothing could derive it. */
export interface HandWrittenOperation extends HandWrittenWires {
  /** The operation's id in REST, or a name of its kind. */
  readonly name: string;
  readonly group: string;
  /** Absent: policies are not asked. */
  readonly action?: string;
  readonly audit?: Audit;
  readonly resolves?: ResolvedParameters;
  /** Whether a client may send a request again when it does not know whether it arrived. */
  readonly retry: boolean;
}

/** Wires of described operations that are written by hand while the others are derived. */
export interface HandWrittenPart extends HandWrittenWires {
  readonly of: readonly string[];
}

interface HandWrittenWires {
  /** `POST /api/plans`. */
  readonly rest?: string;
  /** `UsageService/ReportUsage`. */
  readonly grpc?: string;
  /** `plan submit`. */
  readonly cli?: string;
  readonly reason: string;
}

const ROWS_AS_TEXT = "previews have their rows as JSON texts there, and a denial fewer members";
const OWN_SESSION = "its --session is that of the connection too";
const FROM_A_FILE = "reads its text from a file";
const NEXT_COMMAND = "tells the next command too";
const BYTES = "the answer is bytes, and the path may have any number of parts";
const COOKIE = "sets the cookie of a browser";
const OPEN = "open to everybody, and no part of the API";

/** All that is written by hand, each with its reason. */
export const BY_HAND: readonly (HandWrittenOperation | HandWrittenPart)[] = [
  {
    ...{ name: "submitPlan", group: "plans", action: "plans:submit", audit: "plan log" },
    ...{ rest: "POST /api/plans", grpc: "ControlPlaneService/SubmitPlan", cli: "plan submit" },
    ...{ retry: true, reason: "its time is measured, and dry_run=true has another answer" },
  },
  {
    ...{ name: "executeStep", group: "plans", action: "plans:execute", audit: "plan log" },
    rest: "POST /api/plans/{plan_id}/steps/{step_id}/execute",
    ...{ grpc: "ControlPlaneService/ExecuteStep", cli: "plan execute" },
    resolves: { step_id: { names: "step" } },
    ...{ retry: true, reason: "its time is measured" },
  },
  {
    ...{ name: "streamPlanEvents", group: "plans", action: "plans:read" },
    ...{ rest: "GET /api/plans/{plan_id}/events", cli: "plan watch" },
    grpc: "ControlPlaneService/StreamPlanEvents",
    ...{ retry: true, reason: "its time is measured, and the answer is a stream of events" },
  },
  {
    ...{ name: "importState", group: "state", action: "state:write" },
    audit: { kind: "state.import", time: "around" },
    resolves: {
      branch: { names: "branch", idIn: "expected", default: "main", mayBeNew: true },
    },
    ...{ rest: "POST /api/state/import", cli: "state import", retry: false },
    reason: "its refusal of a body that is too large names the route for documents",
  },
  {
    ...{ name: "importStateDocument", group: "state", action: "state:write" },
    audit: { kind: "state.import", time: "around" },
    ...{ rest: "POST /api/state/documents", cli: "state import", retry: false },
    reason: "the body is a document, which is read as a stream",
  },
  {
    ...{ name: "exportState", group: "state", action: "state:read" },
    audit: { kind: "state.export", time: "before" },
    resolves: { at: { names: "commit", idIn: "at", default: "main" } },
    ...{ rest: "GET /api/state/export", cli: "state export", retry: true },
    reason: "the answer is a document in one of five formats",
  },
  {
    ...{ name: "getAuditCheckpoint", group: "audit", action: "audit:read" },
    ...{ rest: "GET /audit/checkpoint", retry: true, reason: "the answer is a signed text" },
  },
  {
    ...{ name: "getAuditTile", group: "audit", action: "audit:read" },
    ...{ rest: "GET /audit/tile/{level}/{*}", retry: true, reason: BYTES },
  },
  {
    ...{ name: "getAuditEntries", group: "audit", action: "audit:export" },
    audit: { kind: "audit.export", time: "counted" },
    ...{ rest: "GET /audit/tile/entries/{*}", cli: "audit export", retry: true, reason: BYTES },
  },
  {
    ...{ name: "reportUsage", group: "billing", action: "usage:report" },
    audit: { kind: "usage.report", time: "withEffect" },
    ...{ rest: "POST /billing/events", grpc: "UsageService/ReportUsage", retry: true },
    reason: "the body is a list, of which REST requires more than the .proto has",
  },
  {
    ...{ name: "getSession", group: "session", rest: "GET /api/session", retry: true },
    reason: "answers callers without a credential too",
  },
  {
    ...{ name: "signIn", group: "session", rest: "POST /api/session", retry: false },
    ...{ audit: { kind: "session.begin", time: "withEffect" }, reason: COOKIE },
  },
  {
    ...{ name: "signOut", group: "session", rest: "DELETE /api/session", retry: true },
    ...{ audit: { kind: "session.end", time: "withEffect" }, reason: COOKIE },
  },
  {
    ...{ name: "beginOpenIdSignIn", group: "session", rest: "GET /auth/login", retry: true },
    reason: "leads the browser to the OpenID provider",
  },
  {
    ...{ name: "endOpenIdSignIn", group: "session", rest: "GET /auth/callback", retry: false },
    ...{ audit: { kind: "session.begin", time: "withEffect" }, reason: COOKIE },
  },
  {
    ...{ name: "callMcp", group: "agents", rest: "POST /mcp", cli: "mcp", retry: false },
    reason: "answers are texts for agents; each tool needs the actions of the operations it calls",
  },
  {
    ...{ name: "getMetrics", group: "service", action: "metrics:read", rest: "GET /metrics" },
    ...{ retry: true, reason: "the answer is the text format of Prometheus" },
  },
  { name: "getIndex", group: "service", rest: "GET /", retry: true, reason: OPEN },
  { name: "getLiveness", group: "service", rest: "GET /healthz", retry: true, reason: OPEN },
  { name: "getReadiness", group: "service", rest: "GET /readyz", retry: true, reason: OPEN },
  { name: "getReference", group: "service", rest: "GET /docs", retry: true, reason: OPEN },
  { name: "getOpenApi", group: "service", rest: "GET /openapi.json", retry: true, reason: OPEN },
  { name: "getOverview", group: "service", rest: "GET /llms.txt", retry: true, reason: OPEN },
  { name: "getSkill", group: "service", rest: "GET /skill.md", retry: true, reason: OPEN },
  { name: "check", group: "service", grpc: "Health/Check", retry: true, reason: OPEN },
  { name: "watch", group: "service", grpc: "Health/Watch", retry: true, reason: OPEN },
  {
    ...{
      name: "serverReflectionInfo",
      group: "service",
      grpc: "ServerReflection/ServerReflectionInfo",
    },
    ...{ retry: true, reason: OPEN },
  },
  {
    ...{ name: "createSetupPage", group: "billing", action: "payments:write", retry: false },
    ...{ audit: { kind: "payment.create_setup_page", time: "around" } },
    ...{ rest: "POST /billing/setup-pages", reason: "leads back to the address of the request" },
  },
  {
    ...{ name: "proposeMigration", group: "migrations", action: "migrations:propose" },
    audit: { kind: "migration.propose", time: "around" },
    ...{ rest: "POST /api/state/migrations", cli: "migrate-db propose", retry: false },
    reason: "answers with 200 or 201, and takes a larger body",
  },
  {
    of: ["checkPlan"],
    rest: "POST /api/plans",
    reason: "dry_run=true of submitPlan, which is by hand",
  },
  {
    ...{ of: ["checkPlan"], grpc: "ControlPlaneService/CheckPlan" },
    reason: "its optional numbers are in messages of their own there",
  },
  {
    ...{ of: ["cancelPlan"], grpc: "ControlPlaneService/CancelPlan" },
    reason: "takes a reason too, which a DELETE has not",
  },
  { of: ["checkPlan"], cli: "plan check", reason: "fails when a step may not run" },
  { of: ["getPlan"], cli: "plan get", reason: "prints a plan as lines" },
  { of: ["listPlans"], cli: "plan list", reason: OWN_SESSION },
  { of: ["retryPlan"], cli: "plan retry", reason: NEXT_COMMAND },
  { of: ["reviseStep"], cli: "plan revise", reason: FROM_A_FILE },
  { of: ["appendSteps"], cli: "plan append", reason: FROM_A_FILE },
  { of: ["forkPlan"], cli: "plan fork", reason: FROM_A_FILE },
  { of: ["repriceUsage"], cli: "price reprice", reason: "its --month is two members of the input" },
  { of: ["checkPolicies"], cli: "policy check", reason: FROM_A_FILE },
  { of: ["putPolicies"], cli: "policy put", reason: FROM_A_FILE },
  { of: ["testPolicies"], cli: "policy test", reason: FROM_A_FILE },
  { of: ["getPolicies"], cli: "policy show", reason: "prints the policies as they are written" },
  { of: ["explainPolicies"], cli: "policy explain", reason: "its options are parts of a request" },
  {
    ...{ of: ["estimateErasure", "beginErasure", "getErasure"], cli: "erase" },
    reason: "asks the user, begins the erasure and waits for its end",
  },
  {
    ...{ of: ["getRetention"], cli: "retention show" },
    reason: "prints the same table as retention set",
  },
  {
    ...{ of: ["setRetention"], cli: "retention set" },
    reason: "its arguments are pairs, such as plans=30",
  },
  { of: ["testWebhook"], cli: "webhooks test", reason: "fails when the target refuses" },
  { of: ["retryWebhookDeliveries"], cli: "webhooks retry", reason: "demands a name or --all" },
  { of: ["listApprovals"], grpc: "ApprovalService/ListApprovals", reason: ROWS_AS_TEXT },
  { of: ["getApproval"], grpc: "ApprovalService/GetApproval", reason: ROWS_AS_TEXT },
  { of: ["grantApproval"], grpc: "ApprovalService/GrantApproval", reason: ROWS_AS_TEXT },
  { of: ["denyApproval"], grpc: "ApprovalService/DenyApproval", reason: ROWS_AS_TEXT },
  { of: ["revokeApproval"], grpc: "ApprovalService/RevokeApproval", reason: ROWS_AS_TEXT },
  { of: ["listApprovals"], cli: "approvals list", reason: "its --standing is a flag, not a text" },
  { of: ["getApproval"], cli: "approvals show", reason: "prints an approval as lines" },
  {
    of: ["grantApproval"],
    cli: "approvals approve",
    reason: "--plan finds the approval of a whole plan first",
  },
  {
    of: ["denyApproval"],
    cli: "approvals deny",
    reason: "--plan finds the approval of a whole plan first",
  },
  { of: ["addMemoryEntry"], cli: "memory add", reason: OWN_SESSION },
  { of: ["listMemoryEntries"], cli: "memory list", reason: OWN_SESSION },
  { of: ["searchMemory"], cli: "memory search", reason: OWN_SESSION },
  {
    of: ["deleteMemoryEntry", "deleteMemorySession"],
    cli: "memory delete",
    reason: "makes one of two calls",
  },
  {
    of: ["getMemoryRetention", "setMemoryRetention"],
    cli: "memory retention",
    reason: "makes one of two calls",
  },
  { of: ["getMemoryStats"], cli: "memory stats", reason: "prints an object as a table" },
  {
    of: ["listAuditRecords"],
    cli: "audit list",
    reason: "reads the rows from the texts of records",
  },
  { of: ["getAuditRecord"], cli: "audit show", reason: "prints an object as lines" },
  { of: ["listCatalog"], grpc: "CatalogService/ListCatalog", reason: "schemas are texts there" },
  { of: ["listCatalog"], cli: "catalog list", reason: "shows two lists as one" },
  { of: ["getUsage"], cli: "usage", reason: "shows a chart, and what is stored" },
  { of: ["getOrganizationUsage"], cli: "usage", reason: "--all-organizations reads every page" },
  { of: ["getStorageUsage"], cli: "usage storage", reason: "prints an object as lines" },
  { of: ["verifyUsage"], cli: "usage verify", reason: "fails when a total is wrong" },
  { of: ["compareSchemas"], cli: "migrate-db diff", reason: "prints changes as lines" },
  { of: ["getSchemaDrift"], cli: "migrate-db drift", reason: "makes one of two calls" },
  { of: ["acceptSchemaDrift"], cli: "migrate-db drift", reason: "makes one of two calls" },
  { of: ["dumpSchema"], cli: "migrate-db dump", reason: "prints a member of the answer, its SQL" },
  { of: ["getMigration"], cli: "migrate-db show", reason: "prints a migration as lines" },
  {
    of: ["listMigrations"],
    cli: "migrate-db list",
    reason: "has cells that are more than members",
  },
  { of: ["verifyMigration"], cli: "migrate-db verify", reason: "fails when the proof fails" },
  {
    of: ["applyMigration"],
    cli: "migrate-db apply",
    reason: "shows the migration and asks the user first",
  },
  { of: ["resumeMigration"], cli: "migrate-db resume", reason: "reads the digest first" },
  {
    of: ["revertMigration"],
    cli: "migrate-db revert",
    reason: "shows the migration and asks the user first",
  },
  { of: ["undoMigration"], cli: "migrate-db undo", reason: "reads the digest first" },
];
