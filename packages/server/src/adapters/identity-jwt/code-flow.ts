import {
  allowInsecureRequests,
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  ResponseBodyError,
} from "openid-client";
import { AppError } from "@steward/kernel/errors.js";
import type { Principal } from "../../identity/index.js";
import type { OpenIdProvider, OpenIdTransaction } from "../../identity/ports.js";
import { principalOf, type ClaimNames } from "./claims.js";

/** This server as a client of the provider. */
interface CodeFlowOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent: a public client, which PKCE alone protects. */
  readonly clientSecret?: string;
  readonly claims: ClaimNames;
}

/** Time limit of one request to the provider, in seconds. */
const PROVIDER_TIMEOUT_S = 10;
/** Advice for a caller when the provider did not answer, in ms. */
const RETRY_AFTER_MS = 1_000;

/**
 * Signs people in by the authorization code flow of OpenID Connect Core 1.0 §3.1, with PKCE, state
 * and nonce. The signature of the ID token is verified, and its claims name the person as they do
 * in an access token.
 */
export class CodeFlow implements OpenIdProvider {
  readonly #options: CodeFlowOptions;
  #configuration: Promise<Configuration> | undefined;

  constructor(options: CodeFlowOptions) {
    this.#options = options;
  }

  async begin(
    redirectUri: string,
  ): Promise<{ readonly page: URL; readonly transaction: OpenIdTransaction }> {
    const configuration = await this.#discovered();
    const transaction = {
      state: randomState(),
      nonce: randomNonce(),
      codeVerifier: randomPKCECodeVerifier(),
      redirectUri,
    };
    const page = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: "openid",
      state: transaction.state,
      nonce: transaction.nonce,
      code_challenge: await calculatePKCECodeChallenge(transaction.codeVerifier),
      code_challenge_method: "S256",
    });
    return { page, transaction };
  }

  async finish(parameters: URLSearchParams, transaction: OpenIdTransaction): Promise<Principal> {
    const configuration = await this.#discovered();
    const { redirectUri, state, nonce, codeVerifier } = transaction;
    const returned = new URL(redirectUri);
    returned.search = parameters.toString();
    try {
      const tokens = await authorizationCodeGrant(configuration, returned, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
      });
      return principalOf({ ...tokens.claims() }, this.#options.claims);
    } catch (error) {
      throw asRefusal(error);
    }
  }

  /** The provider's addresses and keys; after a failure the next sign-in asks again. */
  #discovered(): Promise<Configuration> {
    const opening = this.#configuration ?? this.#discover();
    this.#configuration = opening;
    opening.catch(() => {
      this.#configuration = undefined;
    });
    return opening;
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const isLocal = new URL(issuer).protocol === "http:";
    try {
      return await discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: PROVIDER_TIMEOUT_S,
        // The library marks it so that nobody overlooks it; the setting permits http:// on this
        // machine only.
        // oxlint-disable-next-line typescript/no-deprecated
        execute: [enableNonRepudiationChecks, ...(isLocal ? [allowInsecureRequests] : [])],
      });
    } catch (cause) {
      throw unavailable(cause);
    }
  }
}

/** The error for the person. It never quotes a code or a token. */
function asRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof AuthorizationResponseError) {
    return refused(`the OpenID provider answers ${error.error.slice(0, 64)}`, error);
  }
  if (error instanceof ResponseBodyError) {
    return refused(`the OpenID provider does not accept the code (${error.error})`, error);
  }
  // The library throws a TypeError of `fetch` when the provider cannot be reached.
  if (error instanceof TypeError && error.message === "fetch failed") return unavailable(error);
  return refused("the answer does not belong to this sign-in", error);
}

function refused(reason: string, cause: unknown): AppError {
  return new AppError("UNAUTHENTICATED", `The sign-in failed: ${reason}; sign in again`, { cause });
}

function unavailable(cause: unknown): AppError {
  return new AppError(
    "IDENTITY_UNAVAILABLE",
    "Nobody can sign in now: the OpenID provider does not answer as one",
    { cause, retryAfterMs: RETRY_AFTER_MS },
  );
}
