import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import type { McpOAuth } from "../../../governance/index.js";
import { failureOf } from "../call-failure.js";
import { McpConnection } from "../mcp-connection.js";
import { ProtectedServer } from "../testing/protected-server.js";
import { type AccessTokens, accessTokensFor } from "./access-tokens.js";
import { GrantFile } from "./grant-file.js";
import { signIn } from "./sign-in.js";

/** Connections to a server that gives nothing without a token, and its authorization server. */
const directory = mkdtempSync(join(tmpdir(), "steward-mcp-oauth-"));
afterAll(() => {
  rmSync(directory, { recursive: true });
});
const signal = new AbortController().signal;
const PERSON = { grant: "authorization_code" } as const;

let server: ProtectedServer;
let path: string;
let file: GrantFile;
beforeEach(async () => {
  server = await ProtectedServer.start();
  path = join(directory, `${crypto.randomUUID()}.json`);
  file = new GrantFile(path);
});
afterEach(() => server[Symbol.asyncDispose]());

function tokensWith(oauth: McpOAuth, grants = { file, clock: systemClock }): AccessTokens {
  const tokens = accessTokensFor(
    { name: "tickets", endpoint: { url: server.url, headers: {}, oauth } },
    grants,
  );
  if (tokens === undefined) throw new Error("OAuth is configured");
  return tokens;
}

/** The token that a call showed to the server, or why there was no call. */
async function called(tokens: AccessTokens): Promise<string> {
  const endpoint = { url: server.url, headers: {} };
  try {
    await using connection = await McpConnection.open({
      ...{ endpoint, signal, access: tokens.forConnection() },
    });
    const [definition] = await connection.definitions(signal);
    if (definition === undefined) return "no tool";
    const result = await connection.call(definition, {}, { signal, timeoutMs: 5000 });
    return String(Object.values(result.structuredContent ?? {})[0]);
  } catch (error) {
    return failureOf(error).message;
  }
}

/** A person who signs in as `steward tools login` asks for it. */
async function signedIn(oauth: McpOAuth = PERSON): Promise<void> {
  const grant = await signIn({
    ...{ url: server.url, oauth, port: 0, clock: systemClock, signal },
    show: (page) => {
      void fetch(page);
    },
  });
  file.save("tickets", grant);
}

describe("a server to which a person signs in", () => {
  it("says which command signs in, and is called with the token after that", async () => {
    const tokens = tokensWith(PERSON);
    expect(await called(tokens)).toContain("signs in with `steward tools login tickets`");
    await signedIn();
    expect(server.accepted).toContain(await called(tokens));
  });

  it("asks for a token that is good for this server only, with PKCE", async () => {
    await signedIn();
    const [request] = server.tokenRequests;
    expect(request?.get("resource")).toBe(server.url);
    expect(request?.get("client_id")).toBe("registered");
    expect(request?.get("code_verifier")).toMatch(/^[\w~.-]{43,128}$/);
  });

  it("renews a token that has ended, or is refused, once for all connections", async () => {
    server.expiresIn = 1;
    await signedIn();
    server.expiresIn = 3600;
    const tokens = tokensWith(PERSON);
    const used = await Promise.all([1, 2, 3].map(() => called(tokens)));
    expect(new Set(used).size).toBe(1);
    expect(server.tokenRequests).toHaveLength(2);
    server.accepted.clear();
    expect(server.accepted).toContain(await called(tokens));
    expect(server.tokenRequests).toHaveLength(3);
  });

  it("uses what another process of the same file has renewed", async () => {
    await signedIn();
    const [one, other] = [
      tokensWith(PERSON),
      tokensWith(PERSON, { file: new GrantFile(path), clock: systemClock }),
    ];
    server.accepted.clear();
    const token = await called(one);
    expect(await called(other)).toBe(token);
  });

  it("asks a person again when the refresh token is good no longer", async () => {
    await signedIn();
    server.accepted.clear();
    server.refreshTokens.clear();
    const message = await called(tokensWith(PERSON));
    expect(message).toContain("invalid_grant, used before");
    expect(message).toContain("`steward tools login tickets`");
  });

  it("stores tokens for their owner only, and sends them to no other address", async () => {
    await signedIn();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(file.find("tickets", "https://elsewhere.example.com/mcp")).toBeUndefined();
    chmodSync(path, 0o644);
    expect(await called(tokensWith(PERSON))).toContain("can be read by other users");
  });

  it("refuses a server whose metadata names another one, or another issuer than the tools file", async () => {
    await expect(signedIn({ ...PERSON, issuer: "https://login.example.com" })).rejects.toThrow(
      /other than the issuer in the tools file/,
    );
    server.resource = "https://elsewhere.example.com/mcp";
    await expect(signedIn()).rejects.toThrow(/does not match/);
    expect(server.tokenRequests).toEqual([]);
  });
});

describe("a server with a refresh token in the tools file", () => {
  it("begins with that token, and goes on with those that follow until the file has another", async () => {
    server.refreshTokens.add("from the operator");
    const oauth = {
      ...PERSON,
      issuer: server.issuer,
      clientId: "steward",
      refreshToken: "from the operator",
    };
    expect(server.accepted).toContain(await called(tokensWith(oauth)));
    server.accepted.clear();
    expect(server.accepted).toContain(
      await called(tokensWith(oauth, { file: new GrantFile(path), clock: systemClock })),
    );
    expect(readFileSync(path, "utf8")).not.toContain("from the operator");
    server.refreshTokens.add("another");
    await called(tokensWith({ ...oauth, refreshToken: "another" }));
    expect(server.refreshTokens).not.toContain("another");
  });
});

describe("a server to which Steward signs in by itself", () => {
  const oauth = (): McpOAuth => ({
    ...{ clientId: "steward", clientSecret: "s3cret", issuer: server.issuer },
    grant: "client_credentials",
  });

  it("gets a token for its resource and scopes, and another one when that is refused", async () => {
    const tokens = tokensWith(oauth());
    expect(server.accepted).toContain(await called(tokens));
    const [request] = server.tokenRequests;
    expect(Object.fromEntries(request ?? [])).toMatchObject({
      ...{ grant_type: "client_credentials", client_secret: "s3cret" },
      ...{ resource: server.url, scope: "tickets" },
    });
    server.accepted.clear();
    expect(server.accepted).toContain(await called(tokens));
  });

  it("says that the authorization server cannot be asked, without the secret", async () => {
    const message = await called(tokensWith({ ...oauth(), issuer: "http://127.0.0.1:9" }));
    expect(message).toContain("http://127.0.0.1:9 gives no token: it cannot be asked");
    expect(message).not.toContain("s3cret");
  });

  it("asks for no token in the name of another server", async () => {
    server.resource = "https://elsewhere.example.com/mcp";
    expect(await called(tokensWith(oauth()))).toContain("names the resource of another server");
    expect(server.tokenRequests).toEqual([]);
  });
});
