import type { AuthProvider } from "@modelcontextprotocol/client";
import type { Clock } from "@steward/kernel/clock.js";
import { KeyedMutex } from "@steward/kernel/concurrency/keyed-mutex.js";
import type { McpOAuth, McpServer } from "../../../governance/index.js";
import { MCP_TOKEN_RENEW_MS } from "../../limits.js";
import { AccessRefused, signInNeeded } from "./access-refused.js";
import type { Grant, GrantFile, Grants } from "./grant-file.js";
import { clientCredentialsGrant, digestOfSecret, refreshedGrant } from "./token-requests.js";

/**
 * The access tokens for one MCP server. Connections share them; only one of them renews a token
 * while the others wait.
 */
export class AccessTokens {
  readonly #server: string;
  readonly #url: string;
  readonly #oauth: McpOAuth;
  readonly #file: GrantFile;
  readonly #clock: Clock;
  readonly #renewals = new KeyedMutex();
  /** Client credentials are not stored: the server can always ask for another token. */
  #own: Grant | undefined;

  constructor(
    server: string,
    parts: { readonly url: string; readonly oauth: McpOAuth; readonly grants: Grants },
  ) {
    this.#server = server;
    this.#url = parts.url;
    this.#oauth = parts.oauth;
    this.#file = parts.grants.file;
    this.#clock = parts.grants.clock;
  }

  /**
   * The access of one connection. A token that the server refuses is renewed once.
   * @throws AccessRefused by its methods.
   */
  forConnection(): AuthProvider {
    let used: string | undefined;
    return {
      token: async () => (used = await this.#current()),
      onUnauthorized: async () => {
        await this.#renewed(used);
      },
    };
  }

  async #current(): Promise<string> {
    const grant = this.#found();
    const { accessToken, expiresAtMs = Infinity } = grant ?? {};
    const isFresh = this.#clock.nowMs() < expiresAtMs - MCP_TOKEN_RENEW_MS;
    return accessToken !== undefined && isFresh ? accessToken : this.#renewed(accessToken);
  }

  /** @param refused the token that must not be used again. */
  #renewed(refused: string | undefined): Promise<string> {
    return this.#renewals.runExclusive("", async () => {
      // Another connection, another process or a person may have renewed it meanwhile.
      const found = this.#found();
      if (found?.accessToken !== undefined && found.accessToken !== refused) {
        return found.accessToken;
      }
      const { accessToken = "" } = await this.#asked(found);
      return accessToken;
    });
  }

  async #asked(found: Grant | undefined): Promise<Grant> {
    if (this.#oauth.grant === "client_credentials") {
      this.#own = await clientCredentialsGrant(this.#url, this.#oauth, this.#clock);
      return this.#own;
    }
    if (found === undefined) throw signInNeeded(this.#server, "nobody has signed in to it");
    const { refreshToken } = found;
    if (refreshToken === undefined) {
      throw signInNeeded(this.#server, "its access token has ended, and there is no refresh token");
    }
    const grant = await this.#refreshed({ ...found, refreshToken });
    this.#file.save(this.#server, grant);
    return grant;
  }

  async #refreshed(grant: Grant & { readonly refreshToken: string }): Promise<Grant> {
    try {
      return await refreshedGrant(grant, this.#clock);
    } catch (error) {
      // Another process that shares the file was faster, and the refresh token could be used once only.
      const latest = this.#found();
      if (latest?.accessToken !== undefined && latest.refreshToken !== grant.refreshToken) {
        return latest;
      }
      if (!(error instanceof AccessRefused)) throw error;
      throw signInNeeded(this.#server, error.message);
    }
  }

  #found(): Grant | undefined {
    if (this.#oauth.grant === "client_credentials") return this.#own;
    const { issuer, clientId = "", clientSecret, refreshToken } = this.#oauth;
    const stored = this.#file.find(this.#server, this.#url);
    const isOfIssuer = issuer === undefined || stored?.issuer === issuer;
    if (refreshToken === undefined) return isOfIssuer ? stored : undefined;
    const seed = digestOfSecret(refreshToken);
    if (isOfIssuer && stored?.seed === seed) return stored;
    const secret = clientSecret === undefined ? {} : { clientSecret };
    return { url: this.#url, issuer: issuer ?? "", clientId, ...secret, refreshToken, seed };
  }
}

/** The tokens that a server wants; `undefined` for one that is reached without OAuth. */
export function accessTokensFor(
  { name, endpoint }: Pick<McpServer, "name" | "endpoint">,
  grants: Grants,
): AccessTokens | undefined {
  if (!("url" in endpoint) || endpoint.oauth === undefined) return undefined;
  const { url, oauth } = endpoint;
  return new AccessTokens(name, { url, oauth, grants });
}
