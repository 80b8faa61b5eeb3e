import type { X509Certificate } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Intent } from "../governance/index.js";
import type { CatalogService } from "../catalog/index.js";
import type { Action, ApiKeyService } from "../identity/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { Ids } from "@steward/kernel/ids.js";
import type { Log } from "@steward/kernel/log.js";
import type { Telemetry } from "../kernel/telemetry.js";
import type { MemoryService } from "../memory/index.js";
import type { PaymentService } from "../payments/index.js";
import type { PolicyService } from "../policies/index.js";
import type { PolicyResource } from "../policies/ports.js";
import type { Orchestrator } from "../plans/index.js";
import type { StateService } from "@steward/state";
import type { MigrationService } from "@steward/schema";
import type { UsageService } from "../usage/index.js";
import type { OrganizationQuotas } from "./organization-quotas.js";

/** What every transport is given: the rooms behind it, and nothing of how they are built. */
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
  readonly authenticate: Authenticate;
  readonly quotas: OrganizationQuotas;
  readonly recordToolCall: RecordToolCall;
  readonly authorize: Authorize;
  readonly health: Health;
  readonly metrics: MetricsPage;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * The identity headers of a request, lower-case names; gRPC metadata has the same ones. One that was
 * sent more than once has all its values ({@link withRepeatedHeaders}).
 */
export type IdentityHeaders = Readonly<IncomingHttpHeaders>;

/** What a request and its connection show of who sends it. */
export interface ShownIdentity {
  readonly headers: IdentityHeaders;
  /** IP address of the connection's other end. */
  readonly peerAddress: string;
  /** The verified client certificate that the connection was opened with; `undefined` when there is none. */
  readonly certificate: () => X509Certificate | undefined;
}

/**
 * Who is asking.
 * @throws AppError `UNAUTHENTICATED`; `INVALID_ARGUMENT` for a malformed header or one that is sent
 * twice; `QUOTA_EXCEEDED` after too many wrong credentials; `STORE_UNAVAILABLE` when a credential
 * cannot be judged at present.
 */
export type Authenticate = (shown: ShownIdentity) => Promise<Caller>;

/**
 * Lets a caller pass who may do this.
 * @param resource What it is done to; absent: the caller's organization as a whole.
 * @throws AppError `POLICY_DENIED`, `APPROVAL_REQUIRED`.
 */
export type Authorize = (
  caller: Caller,
  action: Action,
  resource?: PolicyResource,
) => Promise<void>;

/** A call of one of the service's own tools, which no step of a plan has run. */
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

/** Whether the process should be sent requests. */
export interface Health {
  /** Resolves quickly, whatever is broken. */
  readiness(): Promise<Readiness>;
}

/** The answer of `/readyz`; `checks` names each part and says `ok` or what is wrong. */
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
