import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { afterAll, describe, expect, it } from "vitest";
import { openApp } from "./app.js";

const FORWARDED = "192.0.2.7";
const directory = mkdtempSync(join(tmpdir(), "steward-forwarded-"));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

describe("the address in the audit log of a client behind a proxy", () => {
  it.each([
    ["is the client's own when the proxy is trusted", ["127.0.0.1"], FORWARDED],
    ["is the proxy's when the proxy is not trusted", ["10.0.0.0/8"], "127.0.0.1"],
  ])("%s", async (_which, trustedProxies, expected) => {
    await using app = await openApp({
      ...{
        port: 0,
        logLevel: "silent",
        databaseUrl: `sqlite:${join(directory, `${expected}.db`)}`,
      },
      auth: {
        headers: { trustedProxies: [], proxySecrets: [] },
        ...{ apiKey: true, trustedProxies },
      },
    });
    const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
    const operatorOf = (orgId: string) =>
      createClient({
        ...{ baseUrl, orgId, role: "operator", userId: "ada" },
        headers: { "x-forwarded-for": FORWARDED },
      });
    const operator = operatorOf(crypto.randomUUID());
    const key = await operator.keys.createApiKey({ name: "k", roles: ["agent"] });
    const send = (method: string, path: string, headers: object, body?: object) =>
      fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          ...{ "x-forwarded-for": FORWARDED, "x-steward-console": "1" },
          ...{ "sec-fetch-site": "same-origin", "content-type": "application/json" },
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const signedIn = await send("POST", "/api/session", {}, { api_key: key.api_key });
    const cookie = (signedIn.headers.getSetCookie()[0] ?? "").replace(/;.*$/, "");
    // Wrong credentials at both places, and the end of the session.
    const wrong = `stw_live_${"0".repeat(24)}_${"0".repeat(43)}`;
    await send("POST", "/api/session", {}, { api_key: wrong });
    await send("GET", "/api/keys", { authorization: `Bearer ${wrong}` });
    await send("DELETE", "/api/session", { cookie }, {});
    const nobody = operatorOf("00000000-0000-0000-0000-000000000000");
    const records = async () => [
      ...(await operator.audit.listAuditRecords()).records,
      ...(await nobody.audit.listAuditRecords()).records,
    ];
    const told = async () =>
      (await records())
        .map(({ entry, values }) => [kindOf(entry), values?.["request.peer"]])
        .filter(([, peer]) => peer !== undefined)
        .sort();
    // Equal failures become one record.
    const kinds = ["authentication.failed", "key.create", "session.begin", "session.end"];
    await expect.poll(told).toEqual(kinds.map((kind) => [kind, expected]));
  });
});

function kindOf(entry: string): unknown {
  return (JSON.parse(entry) as { readonly kind: unknown }).kind;
}
