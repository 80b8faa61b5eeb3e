import type { Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { hasRole, roleName } from "@steward/kernel/role-name.js";
import type {
  FailedAttempts,
  Principal,
  VerifyCertificate,
  VerifyCredential,
} from "../../identity/index.js";
import { headerText, CREDENTIAL_LENGTH_MAX } from "../header-text.js";
import {
  headersAuthenticator,
  isVouchedFor as isProxied,
  type HeadersTrust,
} from "./headers-authenticator.js";
import type { ClientAddress } from "./client-address.js";
import { isLoopback } from "../../kernel/loopback.js";
import { requestOwn } from "../request-own.js";
import type { Authenticate, ShownIdentity } from "../services.js";

/** Authentication modes (`SERVICE_AUTH`); at least one. */
export interface AuthenticationModes {
  readonly headers?: HeadersTrust;
  readonly jwt?: VerifyCredential;
  readonly apiKey?: VerifyCredential;
  readonly browserSession?: VerifyCredential;
  readonly certificate?: VerifyCertificate;
  readonly attempts: FailedAttempts;
  /** The address by which wrong credentials are counted. */
  readonly clientAddress: ClientAddress;
  /** The organizations in which a token or a proxy can give the role operator. */
  readonly operatorOrganizations: ReadonlySet<string>;
}

/** The prefix of every API key. */
const API_KEY_PREFIX = "stw_";

/**
 * Authenticates a caller by the credential in the request: a bearer token, else the browser's
 * session, else the connection's certificate, else the identity headers if that mode is on. Only the credential counts: identity
 * headers beside it are dropped, and a wrong credential, or one that no mode reads, is refused
 * rather than ignored (Decision §2).
 */
export function authenticator(modes: AuthenticationModes): Authenticate {
  const byHeaders = modes.headers && countingFailures(modes.headers, modes);
  return async (shown) => {
    const verifying = bearerPrincipal(shown, modes) ?? sessionPrincipal(shown, modes);
    const principal =
      verifying === undefined ? certificatePrincipal(shown, modes) : await verifying;
    if (principal !== undefined) return asNamed(callerOf(principal, shown), modes);
    if (byHeaders === undefined) {
      throw new AppError("UNAUTHENTICATED", `The request has no credential: ${expected(modes)}`);
    }
    return asNamed(await byHeaders(shown), modes);
  };
}

/**
 * The caller without the role operator, unless the operator has named the organization (Decision
 * §2). An issuer of tokens or a proxy serves many organizations, whose admins may choose the names
 * of roles. API keys with this role come from an operator, and so does the file of client
 * certificates; on plain loopback nobody vouches for any role.
 */
function asNamed(caller: Caller, { operatorOrganizations }: AuthenticationModes): Caller {
  const { authenticatedBy, orgId, roles } = caller;
  const isForeign = authenticatedBy === "jwt" || authenticatedBy === "proxy";
  if (!isForeign || !hasRole(caller, OPERATOR) || operatorOrganizations.has(orgId)) return caller;
  return { ...caller, roles: roles.filter((role) => roleName(role) !== OPERATOR) };
}

const OPERATOR = "operator";

/**
 * Refuses a listener beyond loopback that would trust the identity headers of any client (Decision
 * §2): a client could then claim any identity.
 * @throws AppError `INVALID_ARGUMENT` with the fix in its message.
 */
export function assertSafeToListen(host: string, trust: HeadersTrust | undefined): void {
  if (trust === undefined || isProxied(trust) || isLoopback(host)) return;
  throw new AppError(
    "INVALID_ARGUMENT",
    `Refusing to listen on ${host}: with SERVICE_AUTH=headers a client can claim any identity. ` +
      "Listen on 127.0.0.1 (SERVICE_HOST), or name the proxies that set the identity headers " +
      "(SERVICE_TRUSTED_PROXIES) or share a secret with them (SERVICE_PROXY_SECRET), or ask for " +
      "credentials instead (SERVICE_AUTH=jwt, apikey or mtls)",
  );
}

/** A wrong proxy secret counts as a failed attempt. */
function countingFailures(
  trust: HeadersTrust,
  { attempts, clientAddress }: Pick<AuthenticationModes, "attempts" | "clientAddress">,
): Authenticate {
  const authenticate = headersAuthenticator(trust);
  if (trust.proxySecrets.length === 0) return authenticate;
  return async (shown) => {
    try {
      return await authenticate(shown);
    } catch (error) {
      const isRefused = error instanceof AppError && error.code === "UNAUTHENTICATED";
      if (!isRefused || shown.headers["x-proxy-secret"] === undefined) throw error;
      throw attempts.refused(error, { clientAddress: clientAddress(shown) });
    }
  };
}

function bearerPrincipal(
  shown: ShownIdentity,
  modes: AuthenticationModes,
): Promise<Principal> | undefined {
  const { jwt, apiKey, clientAddress } = modes;
  const { headers } = shown;
  const text = headerText(headers, "authorization", CREDENTIAL_LENGTH_MAX);
  if (text === undefined) return undefined;
  const credential = BEARER.exec(text)?.[1];
  if (credential === undefined) {
    throw new AppError("UNAUTHENTICATED", "The header authorization must be `Bearer <credential>`");
  }
  const isKey = credential.startsWith(API_KEY_PREFIX);
  const verify = isKey ? apiKey : jwt;
  if (verify === undefined) {
    if (jwt === undefined && apiKey === undefined) throw readsNoBearer();
    const reason = isKey
      ? "This server does not accept API keys"
      : `This server accepts API keys, which begin with ${API_KEY_PREFIX}, and no JSON Web Tokens`;
    throw new AppError("UNAUTHENTICATED", `${reason}: ${expected(modes)}`);
  }
  return verify(credential, clientAddress(shown)).then(principalOf);
}

/** A caller who sends a credential means to be somebody, and is never taken for anybody else. */
function readsNoBearer(): AppError {
  return new AppError(
    "UNAUTHENTICATED",
    "This server does not read the header authorization: leave it out, have the proxy in front drop it, or set SERVICE_AUTH to apikey or jwt",
  );
}

/** RFC 6750 §2.1. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i;

function sessionPrincipal(
  shown: ShownIdentity,
  { browserSession: verify, clientAddress }: AuthenticationModes,
): Promise<Principal> | undefined {
  const { browserSession } = shown;
  if (browserSession === undefined || verify === undefined) return undefined;
  return verify(browserSession, clientAddress(shown)).then(principalOf);
}

function principalOf({ principal }: { readonly principal: Principal }): Principal {
  return principal;
}

function certificatePrincipal(
  shown: ShownIdentity,
  { certificate: verify, attempts, clientAddress }: AuthenticationModes,
): Principal | undefined {
  if (verify === undefined) return undefined;
  const presented = shown.certificate();
  if (presented === undefined) return undefined;
  try {
    return verify(presented);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw attempts.refused(error, { clientAddress: clientAddress(shown) });
  }
}

function callerOf(principal: Principal, { headers }: ShownIdentity): Caller {
  return Object.assign({}, principal, requestOwn(headers));
}

/** The credentials that the server reads, and how to get one of each. */
function expected({ jwt, apiKey, certificate }: AuthenticationModes): string {
  const ways = [
    ...(apiKey === undefined
      ? []
      : [
          "an API key as `authorization: Bearer stw_…`, which an operator makes with `steward key create`",
        ]),
    ...(jwt === undefined
      ? []
      : [
          "a JSON Web Token as `authorization: Bearer …`, from the issuer that SERVICE_JWT_ISSUER names",
        ]),
    ...(certificate === undefined
      ? []
      : ["a client certificate, which an operator lists in the file of SERVICE_MTLS_CLIENTS"]),
  ];
  return `send ${ways.join("; or ")}`;
}
