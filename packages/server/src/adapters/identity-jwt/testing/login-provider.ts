import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, type JWTPayload } from "jose";
import Provider, { errors, type ClientMetadata } from "oidc-provider";

interface LoginProviderOptions {
  /** The resources that tokens are issued for (RFC 8707). */
  readonly resources: readonly string[];
  /** What the tokens say beside the person's name. */
  readonly claims: JWTPayload;
  /** A client that is known from the start; its ID tokens have the claims too. */
  readonly client?: { readonly clientId: string; readonly clientSecret: string };
}

/**
 * A real OpenID provider on loopback that people sign in to: clients register themselves (RFC 7591) and get
 * authorization codes with PKCE. A token has the requested resource as its audience.
 */
export class LoginProvider implements AsyncDisposable {
  readonly issuer: string;
  readonly #server: Server;

  private constructor(server: Server, key: JWK, options: LoginProviderOptions) {
    this.#server = server;
    // A server that listens on TCP has an address of this kind.
    this.issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const provider = new Provider(this.issuer, {
      jwks: { keys: [key] },
      cookies: { keys: ["a-secret-of-these-tests"] },
      ...(options.client === undefined ? {} : { clients: [knownClient(options.client)] }),
      claims: { openid: ["sub", ...Object.keys(options.claims)] },
      // Without this, an ID token has no claims of its own beside an access token.
      conformIdTokenClaims: false,
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({ sub: id, ...options.claims }),
      }),
      features: {
        registration: { enabled: true },
        devInteractions: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context, resource) => {
            if (!options.resources.includes(resource)) throw new errors.InvalidTarget();
            return {
              scope: "",
              audience: resource,
              accessTokenFormat: "jwt",
              jwt: { sign: { alg: "RS256" } },
            };
          },
          useGrantedResource: () => true,
        },
      },
      extraTokenClaims: () => options.claims,
    });
    server.on("request", (request, response) => {
      void provider.callback()(request, response);
    });
  }

  static async start(options: LoginProviderOptions): Promise<LoginProvider> {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const key = { ...(await exportJWK(privateKey)), kid: "key-1", alg: "RS256", use: "sig" };
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new LoginProvider(server, key, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A client whose redirect URI may have any port, as a native application's (RFC 8252 §7.3). */
function knownClient({
  clientId,
  clientSecret,
}: NonNullable<LoginProviderOptions["client"]>): ClientMetadata {
  return {
    client_id: clientId,
    client_secret: clientSecret,
    application_type: "native",
    redirect_uris: ["http://127.0.0.1/auth/callback"],
    token_endpoint_auth_method: "client_secret_post",
  };
}

/** Pages and redirects on the way of a person through the provider. */
const PAGES_MAX = 20;

/**
 * Signs a person in as a browser would: keeps cookies, follows redirects, and submits each form.
 * @returns the parameters with which the provider redirects to the client.
 */
export async function signIn(start: URL | undefined, callback: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let next = String(start);
  let form: URLSearchParams | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(next, {
      redirect: "manual",
      headers: { cookie },
      ...(form === undefined ? {} : { method: "POST", body: form }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location?.startsWith(callback) === true) return new URL(location).searchParams;
    const html = await response.text();
    const [, action] = / action="([^"]+)"/.exec(html) ?? [];
    const [, prompt = ""] = / name="prompt" value="([^"]+)"/.exec(html) ?? [];
    if (location === null && action === undefined) throw new Error(`no form in ${html}`);
    const filled = { prompt, login: "ada", password: "p" };
    form = location === null ? new URLSearchParams(filled) : undefined;
    next = new URL(location ?? action ?? "", next).href;
  }
  throw new Error(`the provider does not return to ${callback}`);
}
