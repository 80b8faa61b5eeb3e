import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * An MCP server with one tool, `whoami`, which answers with the access token, and its authorization
 * server at the same origin. Anybody who opens the page of the authorization server is signed in. A
 * refresh token is good for one use.
 */
export class ProtectedServer implements AsyncDisposable {
  readonly #server: Server = createServer((request, response) => {
    this.#receive(request, response).catch(() => response.destroy());
  });
  /** Access tokens that the MCP server accepts. */
  readonly accepted: Set<string> = new Set();
  /** Refresh tokens that were not used. */
  readonly refreshTokens: Set<string> = new Set();
  /** Requests for tokens, in order. */
  readonly tokenRequests: URLSearchParams[] = [];
  /** What a new access token says of its life, in seconds. */
  expiresIn = 3600;
  /** The resource that the MCP server's metadata names; absent: its own. */
  resource: string | undefined;
  readonly #codes = new Map<string, string>();

  static async start(): Promise<ProtectedServer> {
    const started = new ProtectedServer();
    started.#server.listen(0, "127.0.0.1");
    await once(started.#server, "listening");
    return started;
  }

  get issuer(): string {
    // A server that listens on a port has this address.
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  get url(): string {
    return `${this.issuer}/mcp`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
    const body = Buffer.concat(chunks).toString("utf8");
    const { pathname, searchParams } = new URL(request.url ?? "/", this.issuer);
    const { issuer } = this;
    switch (pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        send(response, 200, {
          resource: this.resource ?? this.url,
          authorization_servers: [issuer],
          scopes_supported: ["tickets"],
        });
        return;
      case "/.well-known/oauth-authorization-server":
        send(response, 200, metadataOf(issuer));
        return;
      case "/register":
        send(response, 201, { ...JSON.parse(body), client_id: "registered" });
        return;
      case "/authorize":
        this.#authorize(searchParams, response);
        return;
      case "/token":
        this.#token(new URLSearchParams(body), response);
        return;
      case "/mcp":
        this.#mcp(request.headers.authorization ?? "", body, response);
        return;
      default:
        send(response, 404, {});
    }
  }

  #authorize(asked: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID();
    this.#codes.set(code, asked.get("code_challenge") ?? "");
    const location = new URL(asked.get("redirect_uri") ?? "");
    location.searchParams.set("code", code);
    location.searchParams.set("state", asked.get("state") ?? "");
    response.writeHead(302, { location: location.href }).end();
  }

  #token(asked: URLSearchParams, response: ServerResponse): void {
    this.tokenRequests.push(asked);
    const verifier = createHash("sha256").update(asked.get("code_verifier") ?? "");
    const isGranted =
      asked.get("grant_type") === "client_credentials" ||
      this.refreshTokens.delete(asked.get("refresh_token") ?? "") ||
      this.#codes.get(asked.get("code") ?? "") === verifier.digest("base64url");
    if (!isGranted) {
      send(response, 400, { error: "invalid_grant", error_description: "used before" });
      return;
    }
    const [access_token, refresh_token] = [randomUUID(), randomUUID()];
    this.accepted.add(access_token);
    this.refreshTokens.add(refresh_token);
    const { expiresIn: expires_in } = this;
    send(response, 200, { access_token, refresh_token, token_type: "Bearer", expires_in });
  }

  #mcp(authorization: string, body: string, response: ServerResponse): void {
    const token = authorization.replace(/^Bearer /, "");
    if (!this.accepted.has(token)) {
      const metadata = `${this.issuer}/.well-known/oauth-protected-resource/mcp`;
      response.setHeader("www-authenticate", `Bearer resource_metadata="${metadata}"`);
      send(response, 401, {});
      return;
    }
    const asked = JSON.parse(body) as { readonly id?: number; readonly method: string };
    send(response, 200, {
      jsonrpc: "2.0",
      id: asked.id,
      result: {
        ...{ resultType: "complete", ttlMs: 0, cacheScope: "private" },
        ...resultOf(asked.method, token),
      },
    });
  }
}

function metadataOf(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_post"],
  };
}

function resultOf(method: string, token: string): object {
  switch (method) {
    case "server/discover":
      return {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        serverInfo: { name: "protected", version: "1" },
      };
    case "tools/list":
      return { tools: [{ name: "whoami", description: "", inputSchema: { type: "object" } }] };
    default:
      return { content: [], structuredContent: { token } };
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
