import { describe, expect, it } from "vitest";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { assertSafeToListen } from "./authenticate.js";
import { headersAuthenticator, type HeadersTrust } from "./headers-authenticator.js";
import type { IdentityHeaders } from "../services.js";

const ORG = "6F9619FF-8B86-4D01-B42D-00CF4FC964FF";
const NOBODY_VOUCHES: HeadersTrust = { trustedProxies: [], proxySecrets: [] };
const refused = { code: "UNAUTHENTICATED" };

/** The caller of a request under these trust settings. */
function asking(trust: HeadersTrust) {
  const authenticate = headersAuthenticator(trust);
  return (headers: IdentityHeaders, peerAddress = "127.0.0.1") =>
    authenticate({ headers, peerAddress, certificate: () => undefined });
}

const anybody = asking(NOBODY_VOUCHES);

describe("identity by headers", () => {
  it("is the nil organization and nobody when no header is sent", async () => {
    expect(await anybody({})).toEqual({
      orgId: NIL_ORG_ID,
      kind: "anonymous",
      authenticatedBy: "headers",
      roles: [],
      permissions: [],
    });
  });

  it("is what the headers say", async () => {
    const caller = await anybody({
      "x-org-id": ORG,
      "x-session-id": "s1",
      "x-user-id": "u1",
      "x-agent-id": "a1",
      "x-orm-model": "Order",
      "x-user-role": " Admin ",
      "x-user-permissions": "manage:billing,,read:plans ",
    });
    expect(caller).toEqual({
      orgId: ORG.toLowerCase(),
      kind: "agent",
      authenticatedBy: "headers",
      sessionId: "s1",
      userId: "u1",
      agentId: "a1",
      ormModel: "Order",
      roles: ["Admin"],
      permissions: ["manage:billing", "read:plans"],
    });
  });

  it("is a person as soon as a name, a role or a permission is given", async () => {
    for (const name of ["x-user-id", "x-user-role", "x-user-permissions"]) {
      expect((await anybody({ [name]: "viewer" })).kind).toBe("person");
    }
    expect((await anybody({ "x-org-id": ORG })).kind).toBe("anonymous");
  });

  it("holds one role: a list is not taken apart", async () => {
    expect((await anybody({ "x-user-role": "user,admin" })).roles).toEqual(["user,admin"]);
    expect((await anybody({ "x-user-role": " " })).roles).toEqual([]);
  });

  it.each([
    ["x-org-id", "acme"],
    ["x-org-id", `${ORG},${ORG}`],
    ["x-org-id", [ORG, ORG]],
    ["x-user-role", ["viewer", "admin"]],
    ["x-user-role", "r".repeat(129)],
    ["x-user-role", "\u00e4dmin"],
    ["x-session-id", "s".repeat(256)],
    ["x-orm-model", "m".repeat(65)],
    ["x-user-id", "a\u0000b"],
  ])("refuses a malformed %s", async (name, value) => {
    await expect(anybody({ [name]: value })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});

describe("whose headers are believed", () => {
  const org = { "x-org-id": ORG };

  it("is whoever addresses this machine by its own names, when nobody vouches", async () => {
    for (const host of ["localhost:8080", "127.0.0.1", "127.0.0.1:8080", "[::1]:8080"]) {
      expect((await anybody({ host })).orgId).toBe(NIL_ORG_ID);
    }
    for (const host of ["evil.example:8080", "localhost.evil.example", "10.0.0.1", ""]) {
      await expect(anybody({ host })).rejects.toMatchObject(refused);
    }
    const proxied = asking({ trustedProxies: ["127.0.0.1"], proxySecrets: [] });
    expect(await proxied({ host: "steward.example", ...org })).toMatchObject({
      orgId: ORG.toLowerCase(),
      authenticatedBy: "proxy",
    });
  });

  it("is a trusted proxy, in either form of its address, and nobody else", async () => {
    const ask = asking({ trustedProxies: ["10.0.0.0/8", "fd00::1"], proxySecrets: [] });
    for (const peer of ["10.1.2.3", "::ffff:10.1.2.3", "fd00::1"]) {
      expect((await ask(org, peer)).authenticatedBy).toBe("proxy");
    }
    for (const peer of ["127.0.0.1", "fd00::2", "unknown", ""]) {
      await expect(ask(org, peer)).rejects.toMatchObject(refused);
    }
  });

  it("is who knows one of the shared secrets: while one is replaced, two are right", async () => {
    const ask = asking({ trustedProxies: [], proxySecrets: ["open sesame", "the next one"] });
    for (const secret of ["open sesame", "the next one"]) {
      expect((await ask({ ...org, "x-proxy-secret": secret })).authenticatedBy).toBe("proxy");
    }
    await expect(ask({ ...org, "x-proxy-secret": "open" })).rejects.toMatchObject(refused);
    await expect(ask(org)).rejects.toMatchObject(refused);
  });

  it("is who meets both when both are configured", async () => {
    const ask = asking({ trustedProxies: ["10.0.0.1"], proxySecrets: ["s"] });
    const secret = { ...org, "x-proxy-secret": "s" };
    expect((await ask(secret, "10.0.0.1")).authenticatedBy).toBe("proxy");
    await expect(ask(secret, "10.0.0.2")).rejects.toMatchObject(refused);
    await expect(ask(org, "10.0.0.1")).rejects.toMatchObject(refused);
  });

  it("is not a proxy that names no organization", async () => {
    const ask = asking({ trustedProxies: ["127.0.0.1"], proxySecrets: [] });
    await expect(ask({ "x-user-role": "admin" })).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining("x-org-id") as string,
    });
  });

  it("is a mistake of the configuration when it names no address", () => {
    expect(() => asking({ trustedProxies: ["proxy.internal"], proxySecrets: [] })).toThrow();
  });
});

describe("where it is safe to listen", () => {
  it.each(["127.0.0.1", "127.8.8.8", "::1", "localhost"])("is %s, for anybody", (host) => {
    expect(() => {
      assertSafeToListen(host, NOBODY_VOUCHES);
    }).not.toThrow();
  });

  it("is anywhere once somebody vouches for the headers, or none are believed", () => {
    expect(() => {
      assertSafeToListen("0.0.0.0", { trustedProxies: ["10.0.0.1"], proxySecrets: [] });
      assertSafeToListen("0.0.0.0", { trustedProxies: [], proxySecrets: ["s"] });
      assertSafeToListen("0.0.0.0", undefined);
    }).not.toThrow();
  });

  it.each(["0.0.0.0", "::", "192.168.1.7", "example.org"])(
    "is not %s, and says the fix",
    (host) => {
      expect(() => {
        assertSafeToListen(host, NOBODY_VOUCHES);
      }).toThrow(/SERVICE_HOST.*SERVICE_TRUSTED_PROXIES.*SERVICE_PROXY_SECRET.*SERVICE_AUTH=jwt/);
    },
  );
});
