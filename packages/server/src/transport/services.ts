import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "../kernel/caller.js";
import type { Clock } from "../kernel/clock.js";
import type { Ids } from "../kernel/ids.js";
import type { Log } from "../kernel/log.js";
import type { Telemetry } from "../kernel/telemetry.js";
import type { MemoryService } from "../memory/index.js";
import type { PaymentService } from "../payments/index.js";
import type { Orchestrator } from "../plans/index.js";
import type { StateService } from "../state/index.js";
import type { MigrationService } from "../schema/index.js";
import type { UsageService } from "../usage/index.js";

/** What every transport is given: the rooms behind it, and nothing of how they are built. */
export interface Services {
  readonly orchestrator: Orchestrator;
  readonly memory: MemoryService;
  readonly state: StateService;
  readonly migrations: MigrationService;
  readonly usage: UsageService;
  readonly payments: PaymentService;
  readonly authenticate: Authenticate;
  readonly health: Health;
  readonly metrics: MetricsPage;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The identity headers of a request, lower-case names; gRPC metadata has the same ones. */
export type IdentityHeaders = Readonly<IncomingHttpHeaders>;

/**
 * Who is asking. @throws AppError `UNAUTHENTICATED`, or `INVALID_ARGUMENT` for a malformed header.
 * @param peerAddress IP address of the connection's other end.
 */
export type Authenticate = (headers: IdentityHeaders, peerAddress: string) => Caller;

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
