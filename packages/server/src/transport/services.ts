import type { X509Certificate } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { ApprovableOperation, UsedApproval } from "../approvals/index.js";
import type { ResolvedParameters } from "@steward/operations";
import type { Intent, OperationApprovalRequired } from "../governance/index.js";
import type { AskedOperation, AuditService, RecordedWork } from "../audit/index.js";
import type { CatalogService } from "../catalog/index.js";
import type {
  Action,
  ApiKeyService,
  BrowserSessions,
  VerifyCredential,
} from "../identity/index.js";
import type { OpenIdProvider } from "../identity/ports.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { Ids } from "@steward/kernel/ids.js";
import type { Log } from "@steward/kernel/log.js";
import type { Telemetry } from "../kernel/telemetry.js";
import type { MemoryService } from "../memory/index.js";
import type { PaymentService } from "../payments/index.js";
import type { PolicyService } from "../policies/index.js";
import type { PolicyResource } from "../policies/ports.js";
import type { ErasureService, RetentionService } from "../retention/index.js";
import type { Orchestrator } from "../plans/index.js";
import type { StateService } from "@steward/state";
import type { MigrationService } from "@steward/schema";
import type { SystemService } from "../system/index.js";
import type { UsageService } from "../usage/index.js";
import type { WebhookService } from "../webhooks/index.js";
import type { ClientAddress } from "./authentication/client-address.js";
import type { OrganizationQuotas } from "./organization-quotas.js";

/** The services that every transport uses, independent of how they are built. */
export interface Services {
  readonly orchestrator: Orchestrator;
  readonly memory: MemoryService;
  readonly catalog: CatalogService;
  readonly state: StateService;
  readonly migrations: MigrationService;
  readonly usage: UsageService;
  readonly payments: PaymentService;
  readonly apiKeys: ApiKeyService;
  readonly policies: PolicyService;
  readonly retention: RetentionService;
  readonly audit: AuditService;
  readonly erasures: ErasureService;
  readonly webhooks: WebhookService;
  readonly system: SystemService;
  readonly signIn: SignIn;
  /** Tells clients apart: for limits by address and in the audit log. */
  readonly clientAddress: ClientAddress;
  readonly authenticate: Authenticate;
  readonly quotas: OrganizationQuotas;
  readonly recordToolCall: RecordToolCall;
  readonly authorize: Authorize;
  readonly useApproval: UseApproval;
  readonly mayDo: MayDo;
  /** Counts an error for the audit log if it is the refusal with which a request ends. */
  readonly countRefusal: (caller: Caller, action: Action, error: unknown) => void;
  readonly recordOperation: RecordOperation;
  readonly health: Health;
  readonly metrics: MetricsPage;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * The identity headers of a request, with lower-case names; gRPC metadata has the same ones. A
 * repeated header has all its values ({@link withRepeatedHeaders}).
 */
export type IdentityHeaders = Readonly<IncomingHttpHeaders>;

/** The parts of a request and its connection that identify the sender. */
export interface ShownIdentity {
  readonly headers: IdentityHeaders;
  /** IP address of the connection's other end, which may be a proxy ({@link ClientAddress}). */
  readonly peerAddress: string;
  /** The connection's verified client certificate; `undefined` when there is none. */
  readonly certificate: () => X509Certificate | undefined;
  /**
   * Id of a browser's session. Only REST takes one, from a cookie, after it has checked that no
   * other site sends the request.
   */
  readonly browserSession?: string | undefined;
}

/** How people sign in with a browser. */
export interface SignIn {
  readonly sessions: BrowserSessions;
  /** Whether requests without a credential are served, so that nobody has to sign in. */
  readonly isOpen: boolean;
  /** Verifies an API key that a person types in; absent: keys are not accepted. */
  readonly apiKey?: VerifyCredential;
  /** Absent: nobody signs in at an OpenID provider. */
  readonly openid?: OpenIdProvider;
  /** The URL under which browsers reach this server; absent: the host of each request is used. */
  readonly publicUrl?: string;
  /** Whether browsers reach this server by TLS. */
  readonly isSecure: boolean;
}

/**
 * Authenticates the caller.
 * @throws AppError `UNAUTHENTICATED`; `INVALID_ARGUMENT` for a malformed or repeated header;
 * `QUOTA_EXCEEDED` after too many wrong credentials; `STORE_UNAVAILABLE` when a credential cannot
 * be verified now.
 */
export type Authenticate = (shown: ShownIdentity) => Promise<Caller>;

/**
 * Permits the action or rejects; at once when the policies are in memory.
 * @param resource The target of the action; absent: the caller's organization as a whole.
 * @throws AppError `POLICY_DENIED`, `APPROVAL_REQUIRED`.
 */
export type Authorize = (
  caller: Caller,
  action: Action,
  resource?: PolicyResource,
) => undefined | Promise<undefined>;

/** An operation with its parameters; `undefined`: it cannot be shown to a person, or not as a whole. */
export type ShownOperation =
  (ApprovableOperation & { readonly resolves?: ResolvedParameters | undefined }) | undefined;

/**
 * Uses up the approval of an operation that policies demand it of, and requests one where there is none.
 * @param needs what they have demanded of this operation so far.
 * @throws AppError `APPROVAL_REQUIRED`, `APPROVAL_DENIED`, `POLICY_DENIED`, `LIMIT_EXCEEDED`,
 * `QUOTA_EXCEEDED`.
 */
export type UseApproval = (
  caller: Caller,
  operation: ShownOperation,
  needs: readonly [OperationApprovalRequired, ...OperationApprovalRequired[]],
) => Promise<UsedApproval>;

/**
 * Whether the caller may do something, asked to offer only what a caller may use. An answer is no
 * refusal and leaves no record. @throws AppError `STORE_UNAVAILABLE`.
 */
export type MayDo = (caller: Caller, action: Action) => Promise<boolean>;

/**
 * Runs an operation so that the audit log has a record of it before its caller has an answer.
 * @throws the error of `work`; AppError `STORE_UNAVAILABLE` when there can be no record.
 */
export type RecordOperation = <T>(
  caller: Caller,
  asked: AskedOperation,
  work: RecordedWork<T>,
) => Promise<T>;

/** A call of one of the service's own tools outside of a plan, such as a tool over MCP. */
export interface OwnToolCall {
  readonly toolName: string;
  readonly intent: Intent;
  /** Empty: none. */
  readonly sessionId: string;
}

/**
 * Makes the usage row of a tool call and publishes its event (Decision §7). Resolves when the row is durable.
 * @throws AppError `STORE_UNAVAILABLE`.
 */
export type RecordToolCall = (caller: Caller, call: OwnToolCall) => Promise<void>;

/** Whether the process can serve requests. */
export interface Health {
  /** Resolves quickly, even if parts have failed. */
  readiness(): Promise<Readiness>;
}

/** The answer of `/readyz`; `checks` contains `ok` or the problem of each part. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

/** The answer of `/metrics`. */
export interface MetricsPage {
  /** The MIME type of `render()`'s text. */
  readonly contentType: string;
  render(): Promise<string>;
}
