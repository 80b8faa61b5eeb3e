import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AUDIENCE, OpenIdProvider } from "../adapters/identity-jwt/testing/openid-provider.js";
import { openApp, type App, type AppOptions } from "./app.js";
import { openApiKeys } from "./keys.js";
import type { IssuedKey } from "../identity/index.js";
import { NIL_ORG_ID, type Caller } from "@steward/kernel/caller.js";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { BareClient } from "../transport/grpc/testing/bare-client.js";
import { InMemoryOrchestrator } from "../transport/testing/in-memory-orchestrator.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const PLAN_ID = "00000000-0000-7000-8000-000000000000";
const SECRET = "correct-horse-battery-staple";

type Headers = Readonly<Record<string, string>>;

/** A server with one authentication mode, and a caller with a valid credential. */
interface Mode {
  readonly name: string;
  readonly auth: AppOptions["auth"];
  readonly databaseUrl?: string;
  /** Headers with a valid credential. */
  readonly credential: Headers;
  /** The caller with this credential. */
  readonly caller: Partial<Caller>;
  /**
   * Whether identity headers beside the credential are ignored; absent where they are the
   * credential.
   */
  readonly dropsHeaders: boolean;
}

let provider: OpenIdProvider;
let modes: readonly Mode[];
beforeAll(async () => {
  provider = await OpenIdProvider.start();
  provider.claims = { org_id: ORG, roles: ["agent"] };
  const jwt = {
    issuer: provider.issuer,
    audiences: [AUDIENCE],
    algorithms: ["RS256"],
    clockSkewMs: 0,
    claims: {
      org: "org_id",
      user: "sub",
      agent: "act.sub",
      roles: "roles",
      permissions: "permissions",
    },
  };
  const agent = { sub: "ada", act: { sub: "invoice-agent" } };
  const credential = { authorization: `Bearer ${await provider.forged(agent)}` };
  const caller = {
    orgId: ORG,
    kind: "agent",
    authenticatedBy: "jwt",
    userId: "ada",
    agentId: "invoice-agent",
    roles: ["agent"],
    permissions: [],
  } as const;
  const databaseUrl = `sqlite:${join(directory, "steward.db")}`;
  const issued = await issuedKey(databaseUrl);
  const proxied = { trustedProxies: [], proxySecrets: [SECRET] };
  const byProxy = { "x-proxy-secret": SECRET, "x-org-id": ORG, "x-user-role": "agent" };
  modes = [
    { name: "jwt", auth: { jwt }, credential, caller, dropsHeaders: true },
    {
      name: "jwt beside headers",
      auth: { jwt, headers: { trustedProxies: [], proxySecrets: [] } },
      credential,
      caller,
      dropsHeaders: true,
    },
    {
      name: "apikey",
      auth: { apiKey: true },
      databaseUrl,
      credential: { authorization: `Bearer ${issued.text}` },
      caller: {
        ...{ orgId: ORG, kind: "agent", authenticatedBy: "apikey", keyId: issued.key.keyId },
        ...{ agentId: "bot", userId: "ada", roles: ["agent"], permissions: [], scopes: ["plans"] },
      },
      dropsHeaders: true,
    },
    {
      name: "headers with a proxy's secret",
      auth: { headers: proxied },
      credential: byProxy,
      caller: { orgId: ORG, kind: "person", authenticatedBy: "proxy", roles: ["agent"] },
      dropsHeaders: false,
    },
  ];
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const directory = mkdtempSync(join(tmpdir(), "steward-identity-"));

async function issuedKey(url: string): Promise<IssuedKey> {
  await using keys = await openApiKeys(url);
  const names = { roles: ["agent"], permissions: [], scopes: ["plans"] };
  const who = { agentId: "bot", userId: "ada" };
  const draft = { environment: "live", name: "bot", ...who, ...names } as const;
  return await keys.service.create({ ...ADMIN, orgId: ORG }, draft);
}

/** Identity headers of an attacker. */
const spoofed = fc.record(
  {
    "x-org-id": fc.uuid(),
    "x-user-id": fc.constantFrom("root", "ada", "eve"),
    "x-user-role": fc.constantFrom("admin", "Admin", "operator", "billing"),
    "x-user-permissions": fc.constantFrom("manage:billing", "manage:schema,manage:billing"),
    "x-agent-id": fc.constantFrom("other-agent", "invoice-agent"),
  },
  { requiredKeys: [] },
);

/** No valid credential of these servers starts like this. */
const wrongCredential = fc.constantFrom(
  "Bearer abc",
  "Bearer stw_live_0000000000000000_00",
  "Bearer e30.e30.",
  "Basic cm9vdDpyb290",
  "Bearer",
);

describe.each([0, 1, 2, 3])("identity", (index) => {
  const orchestrator = new InMemoryOrchestrator();
  let app: App;
  let client: BareClient;
  let mode: Mode;
  beforeAll(async () => {
    const chosen = modes[index];
    if (chosen?.auth === undefined) throw new Error("no such mode");
    mode = chosen;
    const { auth, databaseUrl } = chosen;
    app = await openApp({
      ...{ port: 0, logLevel: "silent", orchestrator, auth },
      ...(databaseUrl !== undefined && { databaseUrl }),
    });
    client = new BareClient(app.address.port);
  });
  afterAll(async () => {
    client.close();
    await app[Symbol.asyncDispose]();
  });

  /** The caller as the server sees it, or the status of the refusal. */
  const seen = (): unknown => orchestrator.lastContext;
  const overRest = async (headers: Headers): Promise<unknown> => {
    orchestrator.lastContext = undefined;
    const url = `http://127.0.0.1:${String(app.address.port)}/api/plans/${PLAN_ID}`;
    const { status } = await fetch(url, { headers });
    return seen() ?? status;
  };
  const overGrpc = async (metadata: Headers): Promise<unknown> => {
    orchestrator.lastContext = undefined;
    const call = client.call("GetPlanStatus", { plan_id: PLAN_ID }, { metadata });
    // grpc-js rejects with an error whose `code` is the status.
    const error = await call.catch((thrown: unknown) => thrown as { readonly code: unknown });
    return seen() ?? error.code;
  };

  it("is the credential's, with the request's own session", async () => {
    const headers = { ...mode.credential, "x-session-id": "s1", "x-orm-model": "Invoice" };
    const expected = { ...mode.caller, sessionId: "s1", ormModel: "Invoice" };
    expect(await overRest(headers)).toMatchObject(expected);
    expect(await overGrpc(headers)).toMatchObject(expected);
  });

  it("cannot be spoofed by identity headers beside a credential", async () => {
    if (!mode.dropsHeaders) return;
    await fc.assert(
      fc.asyncProperty(spoofed, async (headers) => {
        const sent = { ...headers, ...mode.credential };
        expect(await overRest(sent)).toMatchObject(mode.caller);
        expect(await overGrpc(sent)).toMatchObject(mode.caller);
      }),
      { numRuns: 30 },
    );
  });

  it("cannot be spoofed by identity headers without a right credential", async () => {
    const takesAnybody = mode.name === "jwt beside headers";
    const wrong = mode.dropsHeaders
      ? wrongCredential.map((authorization): Headers => ({ authorization }))
      : fc.constantFrom<Headers>({}, { "x-proxy-secret": "a-wrong-secret-of-some-length" });
    await fc.assert(
      fc.asyncProperty(spoofed, wrong, async (headers, credential) => {
        const sent = { ...headers, ...credential };
        expect([401, 429]).toContain(await overRest(sent));
        expect([16, 8]).toContain(await overGrpc(sent));
        if (takesAnybody) return;
        expect(await overRest(headers)).toBe(401);
        expect(await overGrpc(headers)).toBe(16);
      }),
      { numRuns: 20 },
    );
  });

  it("is nobody's without a credential only where headers are believed as well", async () => {
    const takesAnybody = mode.name === "jwt beside headers";
    const expected = { orgId: NIL_ORG_ID, kind: "anonymous", authenticatedBy: "headers" };
    if (takesAnybody) expect(await overRest({})).toMatchObject(expected);
    else expect(await overRest({})).toBe(401);
  });
});
