import { KnownClients } from "../adapters/identity-mtls/index.js";
import type { Config } from "../config/index.js";
import { ApiKeyVerifier, FailedAttempts, cachedVerification } from "../identity/index.js";
import type { ApiKeyStore } from "../identity/ports.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { DisposalStack } from "../kernel/disposal.js";
import type { Log } from "@steward/kernel/log.js";
import type { AuthenticationModes } from "../transport/authentication/authenticate.js";

/** Dependencies of identity. */
interface IdentityParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly apiKeys: ApiKeyStore;
}

/** The authentication modes, and a function that reloads their keys. */
export interface OpenIdentity {
  readonly modes: AuthenticationModes;
  readonly reload: () => void;
}

/** The configured authentication modes. */
export async function openIdentity(
  parts: IdentityParts,
  opened: DisposalStack,
): Promise<OpenIdentity> {
  const { config, clock, log, apiKeys: store } = parts;
  const { headers, jwt, apiKey, mtls } = config.auth;
  // Verifying tokens needs fifty modules, which other servers do not load.
  const identityJwt = jwt && (await import("../adapters/identity-jwt/index.js"));
  const tokens = jwt && identityJwt?.jwtVerifier({ ...jwt, clock });
  const keys = apiKey && opened.use(new ApiKeyVerifier({ store, clock, log }));
  const clients = mtls && new KnownClients({ file: mtls.clientsFile, clock, log });
  const attempts = new FailedAttempts(clock, log);
  const reload = (): void => {
    tokens?.reload();
    clients?.reload();
  };
  const modes = {
    attempts,
    ...(headers && { headers }),
    // A token is valid for minutes. The cache keeps the token itself, because hashing it would be
    // the most expensive part of a request.
    ...(tokens && {
      jwt: cachedVerification(tokens.verify, { clock, attempts, keyOf: (token) => token }),
    }),
    ...(clients && { certificate: clients.verify }),
    ...(keys && { apiKey: cachedVerification((text) => keys.verify(text), { clock, attempts }) }),
  };
  return { modes, reload };
}
