import { generateKeyPairSync, sign } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Publishes a key on loopback, with a discovery document (OpenID Connect Discovery 1.0 §4), and signs JSON Web Tokens with it (RFC 7515, RFC 7517). */
export class TokenIssuer implements AsyncDisposable {
  readonly issuer: string;
  readonly #server: Server;
  readonly #privateKey = KEYS.privateKey;

  private constructor(server: Server) {
    this.#server = server;
    // A server that listens on TCP has an address of this kind.
    this.issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  }

  static async start(): Promise<TokenIssuer> {
    const jwk = { ...KEYS.publicKey.export({ format: "jwk" }), kid: "k", alg: "ES256" };
    const server = createServer(({ url, headers }, response) => {
      const issuer = `http://${headers.host ?? ""}`;
      const isDiscovery = url === "/.well-known/openid-configuration";
      const answer = isDiscovery ? { issuer, jwks_uri: `${issuer}/keys` } : { keys: [jwk] };
      response.end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new TokenIssuer(server);
  }

  /** A token that is valid for a minute, unless the claims or the seconds say otherwise. */
  token(claims: Readonly<Record<string, unknown>>, seconds = 60): string {
    const exp = Math.floor(Date.now() / 1000) + seconds;
    const payload = { iss: this.issuer, aud: "steward", exp, ...claims };
    const text = [{ alg: "ES256", kid: "k" }, payload].map(base64Url).join(".");
    const key = { key: this.#privateKey, dsaEncoding: "ieee-p1363" } as const;
    return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const KEYS = generateKeyPairSync("ec", { namedCurve: "P-256" });

function base64Url(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
