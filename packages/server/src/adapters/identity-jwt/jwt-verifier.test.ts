import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { base64url, importJWK, SignJWT, exportSPKI, type CryptoKey } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock, type Clock } from "@steward/kernel/clock.js";
import { jwtVerifier, type JwtOptions } from "./jwt-verifier.js";
import { AUDIENCE, OpenIdProvider } from "./testing/openid-provider.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const CLAIMS = {
  org: "org_id",
  user: "sub",
  agent: "act.sub",
  roles: "roles",
  permissions: "permissions",
};
const HOUR_S = 3600;

let provider: OpenIdProvider;
beforeAll(async () => {
  provider = await OpenIdProvider.start();
  provider.claims = { org_id: ORG.toUpperCase(), sub: "ada", roles: ["admin"] };
});
afterAll(() => provider[Symbol.asyncDispose]());

function verifier(over: Partial<JwtOptions> = {}, clock: Clock = systemClock) {
  const { verify } = jwtVerifier({
    issuer: provider.issuer,
    audiences: ["https://other.test", AUDIENCE],
    algorithms: ["RS256", "ES256"],
    clockSkewMs: 30_000,
    claims: CLAIMS,
    clock,
    cooldownMs: 0,
    ...over,
  });
  return { verify: (token: string) => verify(token, "127.0.0.1") };
}

const refusal = (message: RegExp) => ({
  code: "UNAUTHENTICATED",
  message: expect.stringMatching(message) as string,
});

function secondsFromNow(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}

describe("a token of an OpenID provider", () => {
  it("says who asks, by the claims that the settings name", async () => {
    const { verify } = verifier();
    const { principal, untilMs } = await verify(await provider.token());
    expect(principal).toMatchObject({
      orgId: ORG,
      kind: "person",
      authenticatedBy: "jwt",
      roles: ["admin"],
      permissions: [],
    });
    expect(untilMs).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it("may write its audience with or without the slash that ends the address of a site", async () => {
    const { verify } = verifier({
      audiences: ["https://steward.test", "https://b.test/", "steward"],
    });
    for (const aud of [
      "https://steward.test",
      "https://steward.test/",
      "https://b.test",
      "steward",
    ]) {
      expect(await verify(await provider.forged({ aud }))).toHaveProperty("principal");
    }
    for (const aud of ["https://steward.test/mcp", "https://steward.test//", "steward/"]) {
      await expect(verify(await provider.forged({ aud }))).rejects.toMatchObject(refusal(/aud/));
    }
  });

  it("of an agent names the agent and the person it acts for", async () => {
    const { verify } = verifier();
    const token = await provider.forged({ sub: "ada", act: { sub: "invoice-agent" } });
    expect((await verify(token)).principal).toMatchObject({
      kind: "agent",
      agentId: "invoice-agent",
      userId: "ada",
    });
  });

  it("may hold its claims elsewhere: nested, under a URL, or as one text", async () => {
    const { verify } = verifier({
      claims: { ...CLAIMS, org: "https://a.test/org", roles: "realm.roles", permissions: "scope" },
    });
    const token = await provider.forged({
      "https://a.test/org": ORG,
      realm: { roles: ["viewer"] },
      scope: "read:plans manage:billing",
    });
    expect((await verify(token)).principal).toMatchObject({
      orgId: ORG,
      roles: ["viewer"],
      permissions: ["read:plans", "manage:billing"],
    });
  });

  it("is taken after the provider's key was rotated, and the old key's token no longer", async () => {
    const { verify } = verifier();
    const old = await provider.token();
    await verify(old);
    await provider.rotate("key-2");
    expect((await verify(await provider.token())).principal.orgId).toBe(ORG);
    await expect(verify(old)).rejects.toMatchObject(refusal(/no key with this id/));
  });

  it("has its keys fetched once, and not again for unknown keys within the cool-down", async () => {
    const { verify } = verifier({ cooldownMs: 30_000 });
    await verify(await provider.token());
    const before = provider.requests;
    const strange = new SignJWT({}).setProtectedHeader({ alg: "RS256", kid: "x" });
    const token = await strange.sign(await foreignKey());
    for (let n = 0; n < 3; n += 1) {
      await expect(verify(token)).rejects.toMatchObject(refusal(/no key with this id/));
    }
    expect(provider.requests).toBe(before);
  });

  it("that clocks disagree about is taken within the skew", async () => {
    const { verify } = verifier();
    await verify(await provider.forged({ exp: secondsFromNow(-20) }));
    await verify(await provider.forged({ nbf: secondsFromNow(20) }));
  });
});

describe("a token that is refused", () => {
  const wrong: readonly (readonly [string, () => Promise<string>, RegExp])[] = [
    ["expired", () => provider.forged({ exp: secondsFromNow(-HOUR_S) }), /expired/],
    ["without an expiry", () => provider.forged({ exp: undefined }), /claim exp is missing/],
    ["not valid yet", () => provider.forged({ nbf: secondsFromNow(HOUR_S) }), /nbf/],
    ["of another issuer", () => provider.forged({ iss: "https://evil.test" }), /iss/],
    ["for another audience", () => provider.forged({ aud: "https://evil.test" }), /aud/],
    ["without an organization", () => provider.forged({ org_id: undefined }), /org_id.*UUID/],
    ["with a malformed organization", () => provider.forged({ org_id: "acme" }), /org_id.*UUID/],
    ["with what cannot name a role", () => provider.forged({ roles: ["\u00e4dmin"] }), /roles/],
    ["with a role that is no text", () => provider.forged({ roles: [1] }), /roles/],
    ["unsigned", unsigned, /algorithm|not a signed/],
    ["signed with the public key as a secret", withPublicKeyAsSecret, /algorithm/],
    ["signed with another key under a known id", withAnotherKey, /signature is wrong/],
    ["no token at all", () => Promise.resolve("abc"), /not a signed/],
  ];

  it.each(wrong)("is one that is %s", async (_name, make, message) => {
    const token = await make();
    const failure = verifier().verify(token);
    await expect(failure).rejects.toMatchObject(refusal(message));
    await expect(failure).rejects.not.toMatchObject({
      message: expect.stringContaining(token) as string,
    });
  });
});

describe("an OpenID provider that cannot be asked", () => {
  const unavailable = { code: "IDENTITY_UNAVAILABLE", retryAfterMs: 1000 };

  it("says nothing about the token: the answer is to come back", async () => {
    const token = await provider.token();
    const silent = createServer((_request, response) => response.writeHead(500).end());
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    // A server that listens on TCP has an address of this kind.
    const url = `http://127.0.0.1:${String((silent.address() as AddressInfo).port)}`;
    await expect(verifier({ jwksUrl: url }).verify(token)).rejects.toMatchObject(unavailable);
    silent.removeAllListeners("request");
    silent.on("request", (_request, response) => response.end("x".repeat(300 * 1024)));
    await expect(verifier({ jwksUrl: url }).verify(token)).rejects.toMatchObject(unavailable);
    await new Promise((resolve) => silent.close(resolve));
    await expect(verifier({ jwksUrl: url }).verify(token)).rejects.toMatchObject(unavailable);
  });

  it("must be the issuer that its document names", async () => {
    const token = await provider.token();
    const other = verifier({ issuer: `${provider.issuer}/` });
    await expect(other.verify(token)).rejects.toMatchObject(unavailable);
  });
});

async function foreignKey(): Promise<CryptoKey> {
  const { privateKey } = await crypto.subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: "SHA-256",
    },
    true,
    ["sign", "verify"],
  );
  return privateKey;
}

function claims(): Record<string, unknown> {
  return {
    ...{ iss: provider.issuer, aud: AUDIENCE, sub: "eve", exp: secondsFromNow(60) },
    ...provider.claims,
  };
}

function unsigned(): Promise<string> {
  const parts = [{ alg: "none" }, claims()].map((part) => base64url.encode(JSON.stringify(part)));
  return Promise.resolve(`${parts.join(".")}.`);
}

/** A token that a verifier that trusts the token's own `alg` would accept (RFC 8725 §2.1). */
async function withPublicKeyAsSecret(): Promise<string> {
  // An RSA key imports as a CryptoKey; only symmetric ones import as bytes.
  const key = (await importJWK(provider.publicJwk, "RS256", { extractable: true })) as CryptoKey;
  const secret = new TextEncoder().encode(await exportSPKI(key));
  const header = { alg: "HS256", kid: provider.publicJwk.kid ?? "" };
  return new SignJWT(claims()).setProtectedHeader(header).sign(secret);
}

async function withAnotherKey(): Promise<string> {
  const header = { alg: "RS256", kid: provider.publicJwk.kid ?? "" };
  return new SignJWT(claims()).setProtectedHeader(header).sign(await foreignKey());
}
