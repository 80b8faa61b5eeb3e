import { describe, expect, it } from "vitest";
import { NIL_ORG_ID } from "../kernel/caller.js";
import { assertSafeToListen, headersAuthenticator } from "./authenticate.js";

const ORG = "6F9619FF-8B86-4D01-B42D-00CF4FC964FF";
const anybody = headersAuthenticator({ trustedProxies: [] });

describe("identity by headers", () => {
  it("is the nil organization and nobody when no header is sent", () => {
    expect(anybody({}, "127.0.0.1")).toEqual({ orgId: NIL_ORG_ID, roles: [], permissions: [] });
  });

  it("is what the headers say", () => {
    const caller = anybody(
      {
        "x-org-id": ORG,
        "x-session-id": "s1",
        "x-user-id": "u1",
        "x-agent-id": "a1",
        "x-orm-model": "Order",
        "x-user-role": " Admin ",
        "x-user-permissions": "manage:billing,,read:plans ",
      },
      "127.0.0.1",
    );
    expect(caller).toEqual({
      orgId: ORG.toLowerCase(),
      sessionId: "s1",
      userId: "u1",
      agentId: "a1",
      ormModel: "Order",
      roles: ["Admin"],
      permissions: ["manage:billing", "read:plans"],
    });
  });

  it("holds one role: a list is not taken apart", () => {
    expect(anybody({ "x-user-role": "user,admin" }, "127.0.0.1").roles).toEqual(["user,admin"]);
    expect(anybody({ "x-user-role": " " }, "127.0.0.1").roles).toEqual([]);
  });

  it.each([
    ["x-org-id", "acme"],
    ["x-org-id", `${ORG},${ORG}`],
    ["x-session-id", "s".repeat(256)],
    ["x-orm-model", "m".repeat(65)],
    ["x-user-id", "a\u0000b"],
  ])("refuses a malformed %s", (name, value) => {
    expect(() => anybody({ [name]: value }, "127.0.0.1")).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT" }),
    );
  });
});

describe("whose headers are believed", () => {
  const unauthenticated = expect.objectContaining({ code: "UNAUTHENTICATED" }) as Error;

  it("is whoever addresses this machine by its own names, when nobody vouches", () => {
    for (const host of ["localhost:8080", "127.0.0.1", "127.0.0.1:8080", "[::1]:8080"]) {
      expect(anybody({ host }, "127.0.0.1").orgId).toBe(NIL_ORG_ID);
    }
    for (const host of ["evil.example:8080", "localhost.evil.example", "10.0.0.1", ""]) {
      expect(() => anybody({ host }, "127.0.0.1")).toThrow(unauthenticated);
    }
    const proxied = headersAuthenticator({ trustedProxies: ["127.0.0.1"] });
    expect(proxied({ host: "steward.example" }, "127.0.0.1").orgId).toBe(NIL_ORG_ID);
  });

  it("is a trusted proxy, in either form of its address, and nobody else", () => {
    const authenticate = headersAuthenticator({ trustedProxies: ["10.0.0.0/8", "fd00::1"] });
    for (const peer of ["10.1.2.3", "::ffff:10.1.2.3", "fd00::1"]) {
      expect(authenticate({}, peer).orgId).toBe(NIL_ORG_ID);
    }
    for (const peer of ["127.0.0.1", "fd00::2", "unknown", ""]) {
      expect(() => authenticate({}, peer)).toThrow(unauthenticated);
    }
  });

  it("is who knows the shared secret", () => {
    const authenticate = headersAuthenticator({ trustedProxies: [], proxySecret: "open sesame" });
    expect(authenticate({ "x-proxy-secret": "open sesame" }, "10.1.2.3").orgId).toBe(NIL_ORG_ID);
    expect(() => authenticate({ "x-proxy-secret": "open" }, "127.0.0.1")).toThrow(unauthenticated);
    expect(() => authenticate({}, "127.0.0.1")).toThrow(unauthenticated);
  });

  it("is who meets both when both are configured", () => {
    const authenticate = headersAuthenticator({ trustedProxies: ["10.0.0.1"], proxySecret: "s" });
    expect(authenticate({ "x-proxy-secret": "s" }, "10.0.0.1").orgId).toBe(NIL_ORG_ID);
    expect(() => authenticate({ "x-proxy-secret": "s" }, "10.0.0.2")).toThrow(unauthenticated);
    expect(() => authenticate({}, "10.0.0.1")).toThrow(unauthenticated);
  });

  it("is a mistake of the configuration when it names no address", () => {
    expect(() => headersAuthenticator({ trustedProxies: ["proxy.internal"] })).toThrow();
  });
});

describe("where it is safe to listen", () => {
  it.each(["127.0.0.1", "127.8.8.8", "::1", "localhost"])("is %s, for anybody", (host) => {
    expect(() => {
      assertSafeToListen(host, { trustedProxies: [] });
    }).not.toThrow();
  });

  it("is anywhere once somebody vouches for the headers", () => {
    expect(() => {
      assertSafeToListen("0.0.0.0", { trustedProxies: ["10.0.0.1"] });
      assertSafeToListen("0.0.0.0", { trustedProxies: [], proxySecret: "s" });
    }).not.toThrow();
  });

  it.each(["0.0.0.0", "::", "192.168.1.7", "example.org"])(
    "is not %s, and says the fix",
    (host) => {
      expect(() => {
        assertSafeToListen(host, { trustedProxies: [] });
      }).toThrow(/SERVICE_HOST.*SERVICE_TRUSTED_PROXIES.*SERVICE_PROXY_SECRET/);
    },
  );
});
