import { KnownClients } from "../../adapters/identity-mtls/index.js";
import type { Config } from "../../config/index.js";
import {
  ApiKeyVerifier,
  BrowserSessions,
  FailedAttempts,
  cachedVerification,
  keyClaim,
} from "../../identity/index.js";
import {
  CREDENTIAL_LOOKUP_WAIT_MS,
  CREDENTIAL_LOOKUPS_MAX,
  CREDENTIAL_LOOKUPS_WAITING_MAX,
} from "../../identity/limits.js";
import type { ApiKeyStore, BrowserSessionStore, OpenIdProvider } from "../../identity/ports.js";
import { FairSemaphore } from "@steward/kernel/concurrency/fair-semaphore.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { DisposalStack } from "../../kernel/disposal.js";
import type { Log } from "@steward/kernel/log.js";
import type { AuthenticationModes } from "../../transport/authentication/authenticate.js";
import { clientAddressBy } from "../../transport/authentication/client-address.js";
import { present } from "../../kernel/present.js";
import type { SignIn } from "../../transport/services.js";

/** Dependencies of identity. */
interface IdentityParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly apiKeys: ApiKeyStore;
  readonly browserSessions: BrowserSessionStore;
}

/** The authentication modes, how people sign in, and a function that reloads the keys. */
export interface OpenIdentity {
  readonly modes: AuthenticationModes;
  readonly signIn: SignIn;
  readonly reload: () => void;
}

/** The configured authentication modes. */
export async function openIdentity(
  parts: IdentityParts,
  opened: DisposalStack,
): Promise<OpenIdentity> {
  const { config, clock, log, apiKeys: store } = parts;
  const { headers, jwt, apiKey, mtls } = config.auth;
  const sessions = new BrowserSessions({
    store: parts.browserSessions,
    apiKeys: store,
    clock,
    log,
  });
  const openid = await openIdProviderOf(config);
  // Verifying tokens needs fifty modules, which other servers do not load.
  const identityJwt = jwt && (await import("../../adapters/identity-jwt/index.js"));
  const tokens = jwt && identityJwt?.jwtVerifier({ ...jwt, clock });
  const keys = apiKey && opened.use(new ApiKeyVerifier({ store, clock, log }));
  const clients = mtls && new KnownClients({ file: mtls.clientsFile, clock, log });
  const attempts = new FailedAttempts(clock, log);
  const clientAddress = clientAddressBy(trustedProxiesOf(config));
  const lookups = new FairSemaphore({
    ...{ slotsMax: CREDENTIAL_LOOKUPS_MAX, waitingMax: CREDENTIAL_LOOKUPS_WAITING_MAX },
    ...{ waitMs: CREDENTIAL_LOOKUP_WAIT_MS, name: "credentials to look up" },
  });
  const stored = { clock, attempts, lookups };
  const reload = (): void => {
    tokens?.reload();
    clients?.reload();
  };
  const modes = {
    attempts,
    clientAddress,
    operatorOrganizations: new Set(config.auth.operatorOrganizations),
    ...(headers && { headers }),
    // A token is valid for minutes. The cache keeps the token itself, because hashing it would be
    // the most expensive part of a request.
    ...(tokens &&
      identityJwt && {
        jwt: cachedVerification(tokens.verify, {
          ...{ clock, attempts, keyOf: (token) => token, claimOf: identityJwt.tokenClaim },
        }),
      }),
    ...(clients && { certificate: clients.verify }),
    ...(keys && {
      apiKey: cachedVerification((text) => keys.verify(text), { ...stored, claimOf: keyClaim }),
    }),
    ...((keys ?? openid) && {
      browserSession: cachedVerification((id) => sessions.verify(id), stored),
    }),
  };
  const { publicUrl, tls } = config;
  const signIn = {
    sessions,
    isOpen: headers !== undefined,
    ...present({ apiKey: modes.apiKey, openid, publicUrl }),
    isSecure: publicUrl?.startsWith("https:") ?? tls !== undefined,
  };
  return { modes, signIn, reload };
}

/** Addresses and CIDR ranges of the proxies that tell the address of their client. */
export function trustedProxiesOf({ auth }: Config): readonly string[] {
  return auth.trustedProxies ?? auth.headers?.trustedProxies ?? [];
}

/** The library of the code flow is loaded only where people sign in at a provider. */
async function openIdProviderOf({ auth }: Config): Promise<OpenIdProvider | undefined> {
  const { jwt, openid } = auth;
  if (jwt === undefined || openid === undefined) return undefined;
  const { CodeFlow } = await import("../../adapters/identity-jwt/index.js");
  const { issuer, claims } = jwt;
  return new CodeFlow({ issuer, claims, ...openid });
}
