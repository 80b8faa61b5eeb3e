import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
} from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LoginProvider, signIn } from "../adapters/identity-jwt/testing/login-provider.js";
import { openApp, type App } from "./app.js";
import { EVERYTHING } from "../transport/mcp/testing/mcp-app.js";

/**
 * The official client signs a person in at a real OpenID provider: it registers itself, asks for an authorization code
 * with PKCE and the resource of RFC 8707, and calls a tool with the token.
 */
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const OTHER_RESOURCE = "https://other.example.com/";
/** Nothing listens at this URL: the test reads the code from the redirect itself. */
const CALLBACK = "http://127.0.0.1:9/callback";

const directory = mkdtempSync(join(tmpdir(), "steward-mcp-oauth-"));
let provider: LoginProvider;
let app: App;
let url: string;
beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${String(port)}`;
  provider = await LoginProvider.start({
    resources: [url, `${url}/`, OTHER_RESOURCE],
    claims: { org_id: ORG, roles: ["agent"] },
  });
  writeFileSync(join(directory, "empty.db"), "");
  const claims = {
    ...{ org: "org_id", user: "sub", agent: "act.sub" },
    ...{ roles: "roles", permissions: "permissions" },
  };
  const { issuer } = provider;
  app = await openApp({
    port,
    logLevel: "silent",
    databaseUrl: `sqlite:${join(directory, "steward.db")}`,
    dataSources: [
      {
        name: "empty",
        url: `sqlite:${join(directory, "empty.db")}`,
        organizations: [{ orgId: ORG }],
      },
    ],
    auth: { jwt: { issuer, audiences: [url], algorithms: ["RS256"], clockSkewMs: 0, claims } },
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

describe("a client of MCP", () => {
  it("follows the pointer of the 401 to the provider, and calls a tool with the token it gets there", async () => {
    const login = new Login();
    const requested: string[] = [];
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp${EVERYTHING}`), {
      authProvider: login,
      fetch: (input, init) => {
        requested.push(input instanceof Request ? input.url : String(input));
        return fetch(input, init);
      },
    });
    await expect(newClient().connect(transport)).rejects.toThrow(UnauthorizedError);
    // Without the pointer the client would guess the metadata's address from the path /mcp.
    const metadata = `${url}/.well-known/oauth-protected-resource`;
    expect(requested.filter((each) => each.startsWith(metadata))).toEqual([metadata]);
    expect(requested.filter((each) => each.startsWith(provider.issuer))).not.toEqual([]);
    const asked = login.authorizationUrl;
    expect(asked?.origin).toBe(provider.issuer);
    expect(asked?.searchParams.get("code_challenge_method")).toBe("S256");
    expect(asked?.searchParams.get("resource")).toBe(url);
    await transport.finishAuth(await signIn(asked, CALLBACK));
    expect(await firstRow(login)).toEqual({ n: 1 });
  });

  it("may ask for the resource with a slash at its end, as some do", async () => {
    const login = await signedIn(new Login(`${url}/`));
    expect(login.authorizationUrl?.searchParams.get("resource")).toBe(`${url}/`);
    expect(await firstRow(login)).toEqual({ n: 1 });
  });

  it("is refused with a token of the same provider for another resource", async () => {
    const login = await signedIn(new Login(OTHER_RESOURCE));
    const token = login.tokens()?.access_token ?? "";
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: "{}",
    });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_token", /);
    await expect(newClient().connect(mcpTransport(login))).rejects.toThrow();
  });
});

/** Leads a person through the provider's pages. */
async function signedIn(login: Login): Promise<Login> {
  const transport = mcpTransport(login);
  await expect(newClient().connect(transport)).rejects.toThrow(UnauthorizedError);
  await transport.finishAuth(await signIn(login.authorizationUrl, CALLBACK));
  return login;
}

/** The first row of a statement that is run with the token of a login. */
async function firstRow(login: Login): Promise<unknown> {
  const client = newClient();
  await client.connect(mcpTransport(login));
  const result = await client.callTool({ name: "query", arguments: { sql: "SELECT 1 AS n" } });
  await client.close();
  return (result["structuredContent"] as { rows?: readonly unknown[] }).rows?.[0];
}

/** A client's registration and tokens. */
class Login implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: "test",
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code"],
    response_types: ["code"],
    application_type: "native",
    // This provider grants nothing to a client that requests no scope.
    scope: "openid",
  };
  readonly validateResourceURL?: () => Promise<URL>;
  authorizationUrl: URL | undefined;
  #information: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;

  /** @param resource replaces the resource that the server names. */
  constructor(resource?: string) {
    if (resource === undefined) return;
    this.validateResourceURL = () => Promise.resolve(new URL(resource));
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#information;
  }
  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.#information = information;
  }
  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }
  redirectToAuthorization(authorizationUrl: URL): void {
    this.authorizationUrl = authorizationUrl;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }
}

function newClient(): Client {
  return new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
}

function mcpTransport(authProvider: OAuthClientProvider): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(`${url}/mcp${EVERYTHING}`), { authProvider });
}

/** The audience of tokens is the server's own URL, which therefore has to be known before it starts. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The address of a TCP server is an AddressInfo.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
