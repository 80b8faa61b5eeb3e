import { randomUUID, type X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AuthenticatedBy } from "@steward/kernel/caller.js";
import { systemClock } from "@steward/kernel/clock.js";
import { silentLog } from "@steward/kernel/log.js";
import { FailedAttempts, type Principal } from "../../identity/index.js";
import { authenticator, type AuthenticationModes } from "./authenticate.js";
import { clientAddressBy } from "./client-address.js";
import type { ShownIdentity } from "../services.js";

const NAMED = randomUUID();
const OTHER = randomUUID();

/** A server on which every credential belongs to an operator of this organization. */
function modes(orgId: string): AuthenticationModes {
  const by = (authenticatedBy: AuthenticatedBy): Principal => ({
    ...{ orgId, kind: "person", authenticatedBy },
    ...{ roles: ["Operator ", "agent"], permissions: [] },
  });
  const verified = (principal: Principal) => () =>
    Promise.resolve({ principal, untilMs: Infinity });
  return {
    attempts: new FailedAttempts(systemClock, silentLog),
    clientAddress: clientAddressBy([]),
    operatorOrganizations: new Set([NAMED]),
    headers: { trustedProxies: ["10.0.0.1"], proxySecrets: [] },
    jwt: verified(by("jwt")),
    apiKey: verified(by("apikey")),
    // Somebody who has signed in at an OpenID provider.
    browserSession: verified(by("jwt")),
    certificate: () => by("mtls"),
  };
}

describe("the role operator", () => {
  const nothing = { headers: {}, peerAddress: "10.0.0.1", certificate: () => undefined };
  const byHeaders = (orgId: string) => ({ "x-org-id": orgId, "x-user-role": "operator" });
  // A certificate is only passed on.
  const certificate = {} as X509Certificate;

  const ways: readonly (readonly [string, (orgId: string) => ShownIdentity, boolean])[] = [
    ["a token", () => ({ ...nothing, headers: { authorization: "Bearer e30" } }), false],
    ["a session of a token's owner", () => ({ ...nothing, browserSession: "s" }), false],
    ["a proxy", (orgId) => ({ ...nothing, headers: byHeaders(orgId) }), false],
    ["an API key", () => ({ ...nothing, headers: { authorization: "Bearer stw_" } }), true],
    ["a client certificate", () => ({ ...nothing, certificate: () => certificate }), true],
  ];

  it.each(ways)("by %s counts where the operator has named it", async (_by, shown, isNamed) => {
    const rolesIn = async (orgId: string) => {
      const { roles } = await authenticator(modes(orgId))(shown(orgId));
      return roles.map((role) => role.trim().toLowerCase());
    };
    expect(await rolesIn(NAMED)).toContain("operator");
    expect((await rolesIn(OTHER)).includes("operator")).toBe(isNamed);
  });

  it("is anybody's on plain loopback, where nobody vouches for any role", async () => {
    const { attempts, clientAddress, operatorOrganizations } = modes(OTHER);
    const headers = { trustedProxies: [], proxySecrets: [] };
    const authenticate = authenticator({ attempts, clientAddress, operatorOrganizations, headers });
    expect((await authenticate({ ...nothing, headers: byHeaders(OTHER) })).roles).toEqual([
      "operator",
    ]);
  });
});

it("says how an API key begins to a caller whose credential is none", async () => {
  const { attempts, clientAddress, operatorOrganizations, apiKey } = modes(OTHER);
  const parts = { attempts, clientAddress, operatorOrganizations };
  const authenticate = authenticator({ ...parts, ...(apiKey && { apiKey }) });
  const headers = { authorization: "Bearer undefined" };
  const answer = authenticate({ headers, peerAddress: "10.0.0.1", certificate: () => undefined });
  await expect(answer).rejects.toThrow(/API keys, which begin with stw_/);
});

it("says which credentials the server reads and how to get one to a caller who has none", async () => {
  const { headers: _trust, ...credentials } = modes(OTHER);
  const answer = authenticator(credentials)({
    ...{ headers: {}, peerAddress: "10.0.0.1", certificate: () => undefined },
  });
  await expect(answer).rejects.toThrow(
    /Bearer stw_[^]*`steward key create`[^]*SERVICE_JWT_ISSUER[^]*SERVICE_MTLS_CLIENTS/,
  );
});
