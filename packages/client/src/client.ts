import { createAudit } from "./audit.js";
import type { Audit } from "./audit.js";
import { type Approvals, createApprovals } from "./governance/approvals.js";
import { createBilling } from "./billing.js";
import type { Billing } from "./billing.js";
import type { catalog, ClientOf, policies, retention, system } from "@steward/operations";
import { CATALOG, POLICIES, RETENTION, SYSTEM } from "./gen/routes.js";
import { createHttp } from "./http.js";
import { callsOf } from "./operations/operation-calls.js";
import { createKeys } from "./access/keys.js";
import type { Keys } from "./access/keys.js";
import { createMemory } from "./memory.js";
import type { Memory } from "./memory.js";
import { createMigrations } from "./migrations.js";
import type { Migrations } from "./migrations.js";
import { createPlans } from "./plans.js";
import type { CallOptions, Plans } from "./plans.js";
import { createSession } from "./access/session.js";
import type { Session } from "./access/session.js";
import { createWebhooks, type Webhooks } from "./governance/webhooks.js";
import { createState } from "./state.js";
import type { State } from "./state.js";
import { createTools, type Tools } from "./tools/tools.js";

/** The server's address and the caller's identity (Decision §2). */
export interface ClientOptions {
  /** Such as `http://127.0.0.1:8080`; may contain a path prefix. */
  readonly baseUrl: string;
  /**
   * `stw_…`, for servers that accept API keys. The key identifies the caller, so the identity
   * options below are not needed.
   */
  readonly apiKey?: string;
  /** A JSON Web Token, for servers that accept tokens; ignored when there is an API key. */
  readonly token?: string;
  /** Id of the organization, a UUID. */
  readonly orgId?: string;
  readonly sessionId?: string;
  readonly userId?: string;
  readonly agentId?: string;
  /** Such as `admin`, which billing requires. */
  readonly role?: string;
  /** Name of the ORM model that the calls concern, for the usage reports. */
  readonly ormModel?: string;
  /** Headers of every call. Headers for the credential and the identity take precedence. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Time limit of one attempt of a call, in ms. Absent: no limit, because steps may run for long.
   */
  readonly timeout?: number;
  /**
   * Number of retries of an idempotent call, 0: none. Absent: 3, and as many as fit into 30 s while a
   * server that has answered cannot be reached, because it is being restarted.
   */
  readonly maxRetries?: number;
  /** The toolsets of `tools`, such as `["ask", "plans"]` or `["all"]`. Absent: those that the server offers first. */
  readonly toolsets?: readonly string[];
  /** Replaces the runtime's `fetch`. */
  readonly fetch?: typeof fetch;
}

/** A client of a Steward server. It holds no connections and need not be closed. */
export interface StewardClient {
  readonly plans: Plans;
  readonly memory: Memory;
  /** The catalog: the routes under `/api/catalog`. */
  readonly catalog: ClientOf<typeof catalog, CallOptions>;
  readonly state: State;
  readonly billing: Billing;
  readonly migrations: Migrations;
  /** Policies: the routes under `/api/policies`. */
  readonly policies: ClientOf<typeof policies, CallOptions>;
  /** Retention, legal holds and erasures: the routes under `/api/retention`, `/api/holds` and `/api/erasures`. */
  readonly retention: ClientOf<typeof retention, CallOptions>;
  readonly approvals: Approvals;
  readonly webhooks: Webhooks;
  /** The server as its operator sees it, over all organizations. */
  readonly system: ClientOf<typeof system, CallOptions>;
  readonly keys: Keys;
  readonly audit: Audit;
  readonly session: Session;
  readonly tools: Tools;
}

/**
 * Creates a client of a Steward server. Idempotent calls are retried when the server did not
 * respond or was busy.
 */
export function createClient(options: ClientOptions): StewardClient {
  const http = createHttp({
    baseUrl: options.baseUrl,
    headers: callerHeaders(options),
    // In browsers, `fetch` throws when it is called as a method of another object.
    fetch: options.fetch ?? fetch.bind(globalThis),
    timeout: options.timeout,
    maxRetries: options.maxRetries,
  });
  return {
    plans: createPlans(http),
    memory: createMemory(http),
    catalog: callsOf<typeof catalog>(http, CATALOG),
    state: createState(http),
    billing: createBilling(http),
    migrations: createMigrations(http),
    policies: callsOf<typeof policies>(http, POLICIES),
    retention: callsOf<typeof retention>(http, RETENTION),
    approvals: createApprovals(http),
    webhooks: createWebhooks(http),
    system: callsOf<typeof system>(http, SYSTEM),
    keys: createKeys(http),
    audit: createAudit(http),
    session: createSession(http),
    tools: createTools(http, options.toolsets),
  };
}

/**
 * The headers that name the caller, for requests that are sent without this client.
 * @throws TypeError for a malformed credential.
 */
export function callerHeaders(options: ClientOptions): Record<string, string> {
  return { ...options.headers, ...identityHeaders(options), ...credentialHeader(options) };
}

/**
 * @throws TypeError for characters that a header cannot contain; the runtime's own error would
 * quote the credential.
 */
function credentialHeader({ apiKey, token }: ClientOptions): Record<string, string> {
  const credential = apiKey ?? token;
  if (credential === undefined) return {};
  if (!/^[\x21-\x7e]+$/.test(credential)) throw new TypeError("apiKey or token is malformed");
  return { authorization: `Bearer ${credential}` };
}

function identityHeaders(options: ClientOptions): Record<string, string> {
  const { orgId, sessionId, userId, agentId, role, ormModel } = options;
  const headers = {
    "x-org-id": orgId,
    "x-session-id": sessionId,
    "x-user-id": userId,
    "x-agent-id": agentId,
    "x-user-role": role,
    "x-orm-model": ormModel,
  };
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}
