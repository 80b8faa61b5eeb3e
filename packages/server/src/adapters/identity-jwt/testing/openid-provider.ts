import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWK,
  type JWTPayload,
} from "jose";
import Provider from "oidc-provider";

/** The default audience of the provider's tokens. */
export const AUDIENCE = "https://steward.test";

const CLIENT = { id: "agents", secret: "a-secret-of-these-tests" };

interface SigningKey {
  readonly id: string;
  readonly privateKey: CryptoKey;
  readonly privateJwk: JWK;
  readonly publicJwk: JWK;
}

/**
 * A real OpenID provider in this process, on loopback. Programs get access tokens from it by their
 * secret (RFC 6749 §4.4); `claims` is what these tokens say.
 */
export class OpenIdProvider implements AsyncDisposable {
  readonly issuer: string;
  /** Number of received requests of any kind. */
  requests = 0;
  claims: JWTPayload = {};
  readonly #server: Server;
  #key: SigningKey;
  #provider: Provider;

  private constructor(server: Server, key: SigningKey) {
    this.#server = server;
    this.#key = key;
    // A server that listens on TCP has an address of this kind.
    this.issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    this.#provider = this.#started();
    server.on("request", (request, response) => {
      this.requests += 1;
      void this.#provider.callback()(request, response);
    });
  }

  static async start(): Promise<OpenIdProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new OpenIdProvider(server, await signingKey("key-1"));
  }

  /** From now on tokens are signed with a new key; the old one is no longer published. */
  async rotate(id: string): Promise<void> {
    this.#key = await signingKey(id);
    this.#provider = this.#started();
  }

  /** A token as the provider issues it, with the claims as they are now. */
  async token(): Promise<string> {
    const response = await fetch(`${this.issuer}/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        resource: AUDIENCE,
      }),
    });
    const { access_token } = (await response.json()) as { access_token?: string };
    if (access_token === undefined) throw new Error(`no token: ${String(response.status)}`);
    return access_token;
  }

  /**
   * A token that the provider would not issue, but signed with its key.
   * @param payload Overrides the claims of the provider's tokens; `undefined` leaves a claim out.
   */
  forged(payload: Readonly<Record<string, unknown>>): Promise<string> {
    const nowS = Math.floor(Date.now() / 1000);
    const { id, privateKey } = this.#key;
    return new SignJWT({
      ...{ iss: this.issuer, aud: AUDIENCE, sub: "eve", exp: nowS + 60 },
      ...this.claims,
      ...payload,
    })
      .setProtectedHeader({ alg: "RS256", kid: id })
      .sign(privateKey);
  }

  /** The key that tokens are verified with, which anybody may know. */
  get publicJwk(): JWK {
    return this.#key.publicJwk;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #started(): Provider {
    return new Provider(this.issuer, {
      jwks: { keys: [this.#key.privateJwk] },
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          grant_types: ["client_credentials"],
          redirect_uris: [],
          response_types: [],
        },
      ],
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: () => ({
            scope: "",
            audience: AUDIENCE,
            accessTokenFormat: "jwt",
            jwt: { sign: { alg: "RS256" } },
          }),
        },
      },
      extraTokenClaims: () => this.claims,
    });
  }
}

async function signingKey(id: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const named = { kid: id, alg: "RS256", use: "sig" };
  return {
    id,
    privateKey,
    privateJwk: { ...(await exportJWK(privateKey)), ...named },
    publicJwk: { ...(await exportJWK(publicKey)), ...named },
  };
}
