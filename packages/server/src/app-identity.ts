import { jwtVerifier } from "./adapters/identity-jwt/index.js";
import type { Config } from "./config/index.js";
import { remembered } from "./identity/index.js";
import type { Clock } from "./kernel/clock.js";
import type { AuthenticationModes } from "./transport/authenticate.js";

/** What identity is built from. */
interface IdentityParts {
  readonly config: Config;
  readonly clock: Clock;
}

/** The ways in which callers are known, as configured. */
export function openIdentity({ config, clock }: IdentityParts): AuthenticationModes {
  const { headers, jwt } = config.auth;
  return {
    ...(headers === undefined ? {} : { headers }),
    ...(jwt === undefined ? {} : { jwt: remembered(jwtVerifier({ ...jwt, clock }).verify, clock) }),
  };
}
