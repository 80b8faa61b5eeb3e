import { randomBytes } from "node:crypto";
import {
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { Clock } from "@steward/kernel/clock.js";
import { assert } from "@steward/kernel/assert.js";
import type { McpOAuth } from "../../../governance/index.js";
import { version } from "../../../version.js";
import { shortened } from "../call-result.js";
import { AccessRefused } from "./access-refused.js";
import type { Grant } from "./grant-file.js";
import { LoopbackRedirect } from "./loopback-redirect.js";
import { exchangeFetch, grantOf } from "./token-requests.js";

/** What a person signs in to, and how. */
export interface SignInRequest {
  readonly url: string;
  readonly oauth: McpOAuth;
  /**
   * The scope to request; absent: the scope in the tools file, or else the one that the server asks
   * for.
   */
  readonly scope?: string;
  /** Port of the redirect on loopback; 0: any free one. */
  readonly port: number;
  readonly clock: Clock;
  /** Aborted when the person gives up. */
  readonly signal: AbortSignal;
  /** Shows the person the page of the authorization server. */
  readonly show: (page: URL) => void;
}

/**
 * The authorization code flow with PKCE: finds the authorization server of an MCP server (RFC 9728,
 * RFC 8414), registers there if the tools file names no client, has a person sign in, and exchanges the
 * code for tokens that are only good for this server (RFC 8707).
 * @throws AccessRefused when the authorization server refuses; otherwise as the SDK does.
 */
export async function signIn(request: SignInRequest): Promise<Grant> {
  const { url, oauth, port, signal, show } = request;
  const state = randomBytes(16).toString("base64url");
  await using redirect = await LoopbackRedirect.listen(port, state);
  const fetchFn = exchangeFetch(signal);
  const challenge = await challengeOf(url, fetchFn);
  const scope = request.scope ?? oauth.scope ?? challenge.scope;
  const client = new SigningInClient({ oauth, state, redirectUrl: redirect.url, show });
  const asked = {
    ...{ serverUrl: url, fetchFn },
    ...(challenge.resourceMetadataUrl === undefined
      ? {}
      : { resourceMetadataUrl: challenge.resourceMetadataUrl }),
    ...(scope === undefined ? {} : { scope }),
  };
  await auth(client, asked);
  const answer = await redirect.received(signal);
  const code = answer.get("code");
  if (code === null) {
    const reason = answer.get("error_description") ?? answer.get("error") ?? "it gave no code";
    throw new AccessRefused(`the authorization server refuses: ${shortened(reason)}`);
  }
  const iss = answer.get("iss");
  await auth(client, { ...asked, authorizationCode: code, ...(iss === null ? {} : { iss }) });
  return client.grant(request, scope);
}

/** The server's answer to a request without a token. */
async function challengeOf(
  url: string,
  fetchFn: typeof fetch,
): Promise<ReturnType<typeof extractWWWAuthenticateParams>> {
  const response = await fetchFn(url, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2025-11-25",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  await response.body?.cancel();
  return extractWWWAuthenticateParams(response);
}

interface SigningIn {
  readonly oauth: McpOAuth;
  readonly state: string;
  readonly redirectUrl: string;
  readonly show: (page: URL) => void;
}

/** The client of one sign-in, as the SDK asks for it. It holds everything in memory. */
class SigningInClient implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly #parts: SigningIn;
  #registered: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = "";
  #resource: string | undefined;

  constructor(parts: SigningIn) {
    const { clientId, clientSecret, issuer } = parts.oauth;
    this.#parts = parts;
    this.redirectUrl = parts.redirectUrl;
    if (clientId === undefined) return;
    this.#registered = {
      client_id: clientId,
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
      ...(issuer === undefined ? {} : { issuer }),
    };
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: "Steward",
      software_id: "steward",
      software_version: version(),
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    };
  }

  state(): string {
    return this.#parts.state;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#registered;
  }

  saveClientInformation(registered: StoredOAuthClientInformation): void {
    const { clientId, issuer } = this.#parts.oauth;
    const isOther = clientId !== undefined && registered.client_id !== clientId;
    if (isOther || (issuer !== undefined && registered.issuer !== issuer)) {
      throw new AccessRefused(
        "the server names an authorization server other than the issuer in the tools file",
      );
    }
    this.#registered = registered;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(page: URL): void {
    this.#parts.show(page);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(discovered: OAuthDiscoveryState): void {
    this.#discovered = discovered;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  saveResourceUrl(resource: string): void {
    this.#resource = resource;
  }

  /**
   * @param asked the requested scope, which is also the granted one when the answer names none (RFC
   *   6749 §5.1).
   */
  grant({ url, clock }: SignInRequest, asked: string | undefined): Grant {
    const [tokens, registered, resource] = [this.#tokens, this.#registered, this.#resource];
    assert(tokens?.issuer !== undefined, "an exchange that succeeded saved tokens of an issuer");
    assert(registered !== undefined, "a code is exchanged in the name of a client");
    const { client_id: clientId, client_secret: clientSecret } = registered;
    return grantOf(
      tokens,
      {
        ...{ url, issuer: tokens.issuer, clientId },
        ...(clientSecret === undefined ? {} : { clientSecret }),
        ...(resource === undefined ? {} : { resource }),
        ...(asked === undefined ? {} : { scope: asked }),
      },
      clock,
    );
  }
}
