import type { StewardErrorCode } from "@steward/client";

/**
 * What a user of the command line can do about an error code.
 * @returns `undefined` for a code with many possible causes, whose messages say what to do.
 */
export function fixFor(code: StewardErrorCode): string | undefined {
  if (SAID_BY_MESSAGE.has(code)) return undefined;
  return FIXES[code] ?? "see the server's log, then try again";
}

const SAID_BY_MESSAGE: ReadonlySet<StewardErrorCode> = new Set([
  "INVALID_ARGUMENT",
  "LIMIT_EXCEEDED",
]);

const FIXES: Readonly<Partial<Record<StewardErrorCode, string>>> = {
  UNREACHABLE:
    "start a server with `steward dev`, or name another one with --server URL or SERVICE_URL",
  BAD_RESPONSE: "check that --server or SERVICE_URL names a Steward server, not something else",
  INVALID_PLAN: "correct the plan where the message says, then submit it again",
  PLAN_CYCLE: "remove one of these steps from the others' depends_on",
  BAD_PLACEHOLDER: "correct the placeholder: {{step.<id>.output}} of a step in depends_on",
  IDEMPOTENCY_CONFLICT: "submit the changed plan under another key",
  UNAUTHENTICATED: "send credentials, as the server's SERVICE_AUTH requires",
  POLICY_DENIED:
    "call with a role, an API key or a token that has this right, or ask who administers this server",
  PLAN_NOT_FOUND: "`steward plan list` shows your plans; --org chooses another organization",
  STEP_NOT_FOUND: "`steward plan get ID` shows the steps of a plan",
  STEP_DEPENDENCIES_NOT_MET: "run the steps it depends on first; `steward plan run ID` runs all",
  PLAN_NOT_ACTIVE:
    "`steward plan get ID` shows how it ended; `steward plan retry ID` reopens a failed plan",
  APPROVAL_REQUIRED:
    "`steward approvals list` shows who has to decide; run the plan again after that; a migration takes --accept-data-loss",
  APPROVAL_DENIED: "revise the step so that it meets the reason, as `steward plan revise` does",
  APPROVAL_CONFLICT: "`steward approvals show ID` shows it as it is now",
  QUOTA_EXCEEDED: "wait, or raise the budget: `steward budget list` shows it",
  PAYMENT_NOT_CONFIGURED: "start the server with PAYMENT_SECRET_KEY",
  PAYMENT_PROVIDER_FAILED: "the server's log says how the payment provider failed",
  PAYMENT_TIMEOUT: "try again in a moment",
  PAYMENT_RATE_LIMITED: "try again in a moment",
  ORCHESTRATOR_NOT_CONFIGURED: "start the server with --database-url or SERVICE_DATABASE_URL",
  STORE_UNAVAILABLE: "`steward doctor` checks the store; try again when it is back",
  IDENTITY_UNAVAILABLE: "the server cannot reach its OpenID provider; try again in a moment",
  EMBEDDING_FAILED: "the server's embedding provider failed: try again, or correct its settings",
  MEMORY_SEARCH_FAILED: "`steward doctor` checks the store; try again when it is back",
  NOT_FOUND: "check the name; --org chooses another organization",
  STATE_CONFLICT:
    "look again (`steward state log`, or `steward migrate-db drift DATABASE`), then try again",
  STATE_CORRUPTED: "`steward state fsck` shows all that is damaged; restore it from a backup",
  OVERLOADED: "try again in a moment",
};
