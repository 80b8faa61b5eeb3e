import { createBilling } from "./billing.js";
import type { Billing } from "./billing.js";
import { createHttp } from "./http.js";
import { createKeys } from "./keys.js";
import type { Keys } from "./keys.js";
import { createMemory } from "./memory.js";
import type { Memory } from "./memory.js";
import { createMigrations } from "./migrations.js";
import type { Migrations } from "./migrations.js";
import { createPlans } from "./plans.js";
import type { Plans } from "./plans.js";
import { createPolicies } from "./policies.js";
import type { Policies } from "./policies.js";
import { createState } from "./state.js";
import type { State } from "./state.js";

/** Where the server is and who calls it (Decision §2). */
export interface ClientOptions {
  /** Such as `http://127.0.0.1:8080`; a path in it is kept. */
  readonly baseUrl: string;
  /** `stw_…`, where the server takes API keys. It says who calls, so that the identity below is not needed. */
  readonly apiKey?: string;
  /** A JSON Web Token, where the server takes those; used when there is no API key. */
  readonly token?: string;
  /** Organization, a UUID. */
  readonly orgId?: string;
  readonly sessionId?: string;
  readonly userId?: string;
  readonly agentId?: string;
  /** Such as `admin`, which billing asks for. */
  readonly role?: string;
  /** Name of the ORM model the calls are about, for the usage reports. */
  readonly ormModel?: string;
  /** Sent with every call, before those that the credential and the identity above make. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds that one try of a call may take; left out: as long as it takes, for steps may run for long. */
  readonly timeout?: number;
  /** How often a call that may be repeated is tried again; 3 unless told otherwise, 0: never. */
  readonly maxRetries?: number;
  /** Instead of the runtime's own. */
  readonly fetch?: typeof fetch;
}

/** A Steward server. Holds no connection: nothing to close. */
export interface StewardClient {
  readonly plans: Plans;
  readonly memory: Memory;
  readonly state: State;
  readonly billing: Billing;
  readonly migrations: Migrations;
  readonly policies: Policies;
  readonly keys: Keys;
}

/**
 * A client of a Steward server. Calls that may be repeated are tried again, a few times, when no
 * answer came or the server was busy.
 */
export function createClient(options: ClientOptions): StewardClient {
  const http = createHttp({
    baseUrl: options.baseUrl,
    headers: { ...options.headers, ...identityHeaders(options), ...credentialHeader(options) },
    // Browsers refuse their fetch as a method of another object.
    fetch: options.fetch ?? fetch.bind(globalThis),
    timeout: options.timeout,
    maxRetries: options.maxRetries,
  });
  return {
    plans: createPlans(http),
    memory: createMemory(http),
    state: createState(http),
    billing: createBilling(http),
    migrations: createMigrations(http),
    policies: createPolicies(http),
    keys: createKeys(http),
  };
}

/** @throws TypeError for what no header can carry; a runtime's own error would repeat it. */
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
