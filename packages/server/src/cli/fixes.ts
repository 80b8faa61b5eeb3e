import type { StewardErrorCode } from "@steward/client";

/**
 * What a user of the command line can do about an error.
 * @returns `undefined` when the message itself says what to do.
 */
export function fixFor({ code, message }: FixableError): string | undefined {
  if (code === "APPROVAL_REQUIRED" && message.includes("accept_data_loss")) {
    return "to accept the loss, repeat the command with --accept-data-loss";
  }
  if (code === "POLICY_DENIED" && /SERVICE_(ORGANIZATION|MIGRATION_URLS)/.test(message)) {
    return undefined; // No role and no key helps: the server's settings leave it out.
  }
  // A newer server may send a code that this version does not know.
  return code in FIXES ? FIXES[code] : SEE_LOG;
}

interface FixableError {
  readonly code: StewardErrorCode;
  readonly message: string;
}

const SEE_LOG = "see the server's log, then try again";
const AGAIN = "try again in a moment";

/** `undefined`: the code has many possible causes, and its messages say what to do. */
const FIXES: Readonly<Record<StewardErrorCode, string | undefined>> = {
  UNREACHABLE:
    "start a server with `steward dev`, or name another one with --server URL or SERVICE_URL",
  BAD_RESPONSE: "check that --server or SERVICE_URL names a Steward server, not something else",
  INVALID_ARGUMENT: undefined,
  INVALID_PLAN: "correct the plan where the message says, then submit it again",
  PLAN_CYCLE: "remove one of these steps from the others' depends_on",
  BAD_PLACEHOLDER: "correct the placeholder: {{step.<id>.output}} of a step in depends_on",
  LIMIT_EXCEEDED: undefined,
  IDEMPOTENCY_CONFLICT: "submit the changed plan under another key",
  UNAUTHENTICATED:
    "set STEWARD_API_KEY to an API key, or STEWARD_TOKEN to a JSON Web Token, as the server's SERVICE_AUTH requires",
  POLICY_DENIED:
    "call with a role, an API key or a token that has this right, or ask who administers this server",
  PLAN_NOT_FOUND: "`steward plan list` shows your plans; --org chooses another organization",
  STEP_NOT_FOUND: "`steward plan get ID` shows the steps of a plan",
  NOT_FOUND: "check the name; --org chooses another organization",
  METHOD_NOT_ALLOWED: "the server has another version than this command: install the same one",
  STEP_DEPENDENCIES_NOT_MET: "run the steps it depends on first; `steward plan run ID` runs all",
  PLAN_NOT_ACTIVE:
    "`steward plan get ID` shows its status and its steps; `steward plan retry ID` reopens a failed plan",
  STEP_NOT_REVISABLE: "`steward plan get ID` shows the status of each step",
  REVISION_CONFLICT: "`steward plan get ID` shows the present revision: revise that one",
  APPROVAL_REQUIRED:
    "`steward approvals list` shows who has to decide; repeat the command after the decision",
  APPROVAL_DENIED: "revise the step so that it meets the reason, as `steward plan revise` does",
  APPROVAL_CONFLICT: "`steward approvals show ID` shows it as it is now",
  LEGAL_HOLD: "`steward hold list` shows the holds, and `steward hold remove ID` lifts one",
  CURSOR_OUT_OF_RANGE: "begin again without --after",
  QUOTA_EXCEEDED: "wait, or raise the budget: `steward budget list` shows it",
  ORCHESTRATOR_NOT_CONFIGURED: "start the server with --database-url or SERVICE_DATABASE_URL",
  UNIMPLEMENTED: undefined,
  STORE_UNAVAILABLE: "`steward doctor` checks the store; try again when it is back",
  OVERLOADED: AGAIN,
  DEADLINE_EXCEEDED: AGAIN,
  CANCELLED: "it was cancelled before it ended; run it again if that was not meant",
  STEP_FAILED: "correct the statement as the hints say, and revise the step or submit a new plan",
  STEP_TIMEOUT:
    "look for locks and slow parts of the statement; the message says whose limit it was",
  OUTCOME_UNKNOWN:
    "look in the data whether the write took effect; if it did not, `steward plan retry ID` runs it again",
  OUTPUT_CUT: "narrow the statement, so that its whole result fits",
  IDENTITY_UNAVAILABLE: "the server cannot reach its OpenID provider; try again in a moment",
  PAYMENT_NOT_CONFIGURED: "start the server with PAYMENT_SECRET_KEY",
  PAYMENT_PROVIDER_FAILED: "the server's log says how the payment provider failed",
  PAYMENT_TIMEOUT: AGAIN,
  PAYMENT_CONFLICT: undefined,
  PAYMENT_RATE_LIMITED: AGAIN,
  EMBEDDING_FAILED: "the server's embedding provider failed: try again, or correct its settings",
  MEMORY_SEARCH_FAILED: "`steward doctor` checks the store; try again when it is back",
  STATE_CONFLICT:
    "look again (`steward state log`, or `steward migrate-db drift DATABASE`), then try again",
  STATE_CORRUPTED: "`steward state fsck` shows all that is damaged; restore it from a backup",
  INTERNAL: SEE_LOG,
};
