import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "@steward/client";
import {
  LoginProvider,
  signIn as signInAt,
} from "../adapters/identity-jwt/testing/login-provider.js";
import { openApp, type App } from "./app.js";
import { openApiKeys } from "./keys.js";
import { ADMIN } from "@steward/kernel/testing/nobody.js";

/**
 * People sign in to a real server with a browser: by an API key, and at a real OpenID provider. The
 * test is the browser: it keeps the cookie and sends what browsers send.
 */
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const CLIENT = { clientId: "steward", clientSecret: "a-secret-of-these-tests" };
const OWN_PAGE = { "sec-fetch-site": "same-origin", "x-steward-console": "1" };
const CLAIMS = {
  ...{ org: "org_id", user: "sub", agent: "act.sub" },
  ...{ roles: "roles", permissions: "permissions" },
};

const directory = mkdtempSync(join(tmpdir(), "steward-sign-in-"));
const databaseUrl = `sqlite:${join(directory, "steward.db")}`;
let provider: LoginProvider;
let app: App;
let url: string;
let key: string;
beforeAll(async () => {
  const draft = { environment: "live", name: "k", roles: ["admin"], permissions: [], scopes: [] };
  {
    await using keys = await openApiKeys(databaseUrl);
    const admin = { ...ADMIN, orgId: ORG };
    key = (await keys.service.create(admin, { ...draft, environment: "live" })).text;
  }
  const file = join(directory, "empty.db");
  writeFileSync(file, "");
  const source = { name: "empty", url: `sqlite:${file}`, organizations: [{ orgId: ORG }] };
  provider = await LoginProvider.start({
    resources: [],
    claims: { org_id: ORG, roles: ["agent"] },
    client: CLIENT,
  });
  const { issuer } = provider;
  app = await openApp({
    ...{ port: 0, logLevel: "silent", databaseUrl, dataSources: [source] },
    auth: {
      apiKey: true,
      jwt: { issuer, audiences: ["x"], algorithms: ["RS256"], clockSkewMs: 0, claims: CLAIMS },
      openid: CLIENT,
    },
  });
  url = `http://127.0.0.1:${String(app.address.port)}`;
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/** A request of a browser with a cookie. */
function send(
  request: string,
  options: { cookie?: string; headers?: Record<string, string>; body?: unknown } = {},
): Promise<Response> {
  const [method = "", path = ""] = request.split(" ");
  const { cookie, headers, body } = options;
  return fetch(`${url}${path}`, {
    method,
    redirect: "manual",
    headers: {
      ...(cookie === undefined ? {} : { cookie }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The cookie that an answer sets, as the browser sends it back. */
function cookieOf(response: Response): string {
  return (response.headers.getSetCookie()[0] ?? "").replace(/;.*$/, "");
}

async function signIn(cookie?: string): Promise<Response> {
  const options = { headers: OWN_PAGE, body: { api_key: key } };
  return send("POST /api/session", cookie === undefined ? options : { ...options, cookie });
}

interface WhoAmI {
  readonly caller?: Record<string, unknown>;
  readonly actions: readonly string[];
  readonly expires_at?: string;
  readonly sign_in_methods: readonly string[];
}

async function whoAmI(cookie?: string): Promise<WhoAmI> {
  const response = await send("GET /api/session", cookie === undefined ? {} : { cookie });
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: WhoAmI }).data;
}

describe("a browser without a session", () => {
  it("learns how to sign in, and nothing else", async () => {
    expect(await whoAmI()).toMatchObject({
      ...{ actions: [], sign_in_methods: ["api_key", "openid"], chooses_organization: false },
    });
    expect((await send("GET /api/plans")).status).toBe(401);
  });

  it("exchanges an API key for a session that scripts cannot read", async () => {
    const response = await signIn();
    expect(response.status).toBe(201);
    expect(await response.text()).not.toContain(key);
    const { port } = app.address;
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^steward-session-${String(port)}=[\\w-]{43}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict$`,
        ),
      ),
    ]);
    const cookie = cookieOf(response);
    expect((await send("GET /api/plans", { cookie })).status).toBe(200);
    const { caller, actions, expires_at: expiresAt } = await whoAmI(cookie);
    expect(caller).toMatchObject({ org_id: ORG, kind: "apiKey", roles: ["admin"] });
    expect(actions).toEqual(expect.arrayContaining(["plans:read", "keys:write"]));
    expect(Date.parse(expiresAt ?? "")).toBeGreaterThan(Date.now());
  });
});

describe("a session", () => {
  it("counts alone: identity headers beside it are dropped, and a bearer credential wins", async () => {
    const cookie = cookieOf(await signIn());
    const headers = {
      "x-org-id": "11111111-1111-4111-8111-111111111111",
      "x-user-role": "operator",
    };
    const response = await send("GET /api/session", { cookie, headers });
    expect(await response.json()).toMatchObject({
      data: { caller: { org_id: ORG, roles: ["admin"] } },
    });
    const wrong = { authorization: `Bearer stw_live_${"0".repeat(24)}_${"0".repeat(64)}` };
    expect((await send("GET /api/plans", { cookie, headers: wrong })).status).toBe(401);
  });

  it("changes something only from a page of this server", async () => {
    const cookie = cookieOf(await signIn());
    const body = { steps: [{ id: "a", query_template: "SELECT 1" }] };
    const submit = async (headers: Record<string, string>) =>
      (await send("POST /api/plans", { cookie, headers, body })).status;
    const origin = url;
    expect(await submit({ ...OWN_PAGE })).toBe(201);
    expect(await submit({ origin, "x-steward-console": "1" })).toBe(201);
    // A form of another site, a page of a sister domain, and requests without the proof.
    expect(await submit({ "sec-fetch-site": "cross-site", "x-steward-console": "1" })).toBe(403);
    expect(await submit({ "sec-fetch-site": "same-site", "x-steward-console": "1" })).toBe(403);
    expect(await submit({ "sec-fetch-site": "none", "x-steward-console": "1" })).toBe(403);
    expect(await submit({ "sec-fetch-site": "same-origin" })).toBe(403);
    expect(await submit({ "x-steward-console": "1" })).toBe(403);
    expect(await submit({ origin: "http://evil.test", "x-steward-console": "1" })).toBe(403);
  });

  it("gets a new id at each sign-in, and the one before ends", async () => {
    const before = cookieOf(await signIn());
    const after = cookieOf(await signIn(before));
    expect(after).not.toBe(before);
    await expect
      .poll(async () => (await send("GET /api/plans", { cookie: before })).status)
      .toBe(401);
    expect((await send("GET /api/plans", { cookie: after })).status).toBe(200);
    // An id that somebody else has chosen becomes no session.
    const chosen = `${before.split("=")[0] ?? ""}=${"A".repeat(43)}`;
    expect(cookieOf(await signIn(chosen))).not.toBe(chosen);
    expect((await send("GET /api/plans", { cookie: chosen })).status).toBe(401);
  });

  it("ends with the sign-out, which also takes it out of the browser", async () => {
    const cookie = cookieOf(await signIn());
    expect((await send("DELETE /api/session", { cookie })).status).toBe(403);
    const out = await send("DELETE /api/session", { cookie, headers: OWN_PAGE });
    expect(out.status).toBe(200);
    expect(out.headers.getSetCookie()[0]).toContain("Max-Age=0");
    await expect.poll(async () => (await send("GET /api/plans", { cookie })).status).toBe(401);
    const after = await send("GET /api/session", { cookie });
    expect(after.headers.getSetCookie()[0]).toContain("Max-Age=0");
    expect(await after.json()).toMatchObject({ data: { actions: [] } });
  });

  it("is used by the client as a browser would", async () => {
    let cookie = "";
    const browser = createClient({
      baseUrl: url,
      headers: { "sec-fetch-site": "same-origin" },
      fetch: async (input, init = {}) => {
        const headers = { ...(init.headers as Record<string, string>), cookie };
        const response = await fetch(input, { ...init, headers });
        if (response.headers.getSetCookie().length > 0) cookie = cookieOf(response);
        return response;
      },
    });
    await browser.session.signIn(key);
    expect((await browser.session.get()).caller).toMatchObject({ org_id: ORG });
    expect((await browser.plans.listPlans()).plans).toBeDefined();
    expect(await browser.session.signOut()).toEqual({ signed_out: true });
  });
});

describe("a sign-in at the OpenID provider", () => {
  const callback = () => `${url}/auth/callback`;

  /** Leads a person to the provider and back, up to the redirect to this server. */
  async function authorized(path = "/auth/login?return_to=/plans%3Fstate%3Dfailed") {
    const begun = await send(`GET ${path}`);
    const page = new URL(begun.headers.get("location") ?? "");
    const cookie = cookieOf(begun);
    return { page, cookie, parameters: await signInAt(page, callback()) };
  }

  it("uses code, PKCE, state and nonce, and comes back to where the person wanted to be", async () => {
    const { page, cookie, parameters } = await authorized();
    expect(page.origin).toBe(provider.issuer);
    expect(Object.fromEntries(page.searchParams)).toMatchObject({
      ...{ response_type: "code", code_challenge_method: "S256", redirect_uri: callback() },
      ...{ state: expect.stringMatching(/.{20}/), nonce: expect.stringMatching(/.{20}/) },
    });
    const back = await send(`GET /auth/callback?${parameters.toString()}`, { cookie });
    expect([back.status, back.headers.get("location")]).toEqual([302, "/plans?state=failed"]);
    const [dropped = "", session = ""] = back.headers.getSetCookie();
    expect(dropped).toMatch(/^steward-sign-in-\d+=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/);
    const who = await whoAmI(session.replace(/;.*$/, ""));
    expect(who.caller).toMatchObject({
      ...{ org_id: ORG, kind: "person", user_id: "ada", roles: ["agent"] },
    });
    const again = await send(`GET /auth/callback?${parameters.toString()}`, { cookie });
    expect(again.headers.get("location")).toBe("/sign-in?error=failed");
  });

  it("is refused in another browser, with another state, and after the person said no", async () => {
    const { cookie, parameters } = await authorized();
    const attempts: readonly (readonly [string, string | undefined])[] = [
      [parameters.toString(), undefined],
      [parameters.toString(), (await authorized()).cookie],
      [new URLSearchParams({ ...Object.fromEntries(parameters), state: "x" }).toString(), cookie],
      [`error=access_denied&state=${parameters.get("state") ?? ""}`, cookie],
      ["", cookie],
    ];
    for (const [query, shown] of attempts) {
      const answer = await send(
        `GET /auth/callback?${query}`,
        shown === undefined ? {} : { cookie: shown },
      );
      expect(answer.headers.get("location")).toBe("/sign-in?error=failed");
      expect(answer.headers.getSetCookie().join()).not.toContain("steward-session");
    }
  });

  it("leads to no other site afterwards", async () => {
    for (const target of ["https://evil.test/", "//evil.test", "/\\evil.test", "javascript:x"]) {
      const { cookie, parameters } = await authorized(
        `/auth/login?return_to=${encodeURIComponent(target)}`,
      );
      const back = await send(`GET /auth/callback?${parameters.toString()}`, { cookie });
      expect(back.headers.get("location")).toBe("/");
    }
  });
});

describe("wrong keys", () => {
  it("are refused like anywhere else, and after too many of them the address has to wait", async () => {
    const wrong = { api_key: `stw_live_${"0".repeat(24)}_${"0".repeat(64)}` };
    const statuses: number[] = [];
    for (let n = 0; n < 25; n += 1) {
      statuses.push((await send("POST /api/session", { headers: OWN_PAGE, body: wrong })).status);
    }
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
  });
});
