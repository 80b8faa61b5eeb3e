import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  agentClient,
  clientAuthority,
  nobodyClient,
  type TestClient,
} from "@steward/kernel/testing/client-certificates.js";
import { expect } from "vitest";
import { expectRefusal } from "../expectations.js";
import { step, type ProcessScenario } from "../scenario.js";
import { Steward } from "../steward.js";
import { runSteward } from "../steward-command.js";
import { TokenIssuer } from "../parties/token-issuer.js";

const PLAN = { name: "a plan", steps: [step("a", "SELECT 1 AS n")] };
const UNAUTHENTICATED = { code: "UNAUTHENTICATED", grpc: "UNAUTHENTICATED", rest: 401 };
const UNKNOWN_PLAN = { code: "PLAN_NOT_FOUND", grpc: "NOT_FOUND", rest: 404 };
const DENIED = { code: "POLICY_DENIED", grpc: "PERMISSION_DENIED", rest: 403 };

/** Authentication of callers. */
export const identity: readonly ProcessScenario[] = [
  {
    cites: ["D2-jwt", "D18-others"],
    title:
      "a verified token says who calls, whatever the identity headers say, and the plans of others need plans:read_all",
    run: async () => {
      await using issuer = await TokenIssuer.start();
      const org_id = randomUUID();
      await using steward = await Steward.start({
        SERVICE_AUTH: "jwt",
        SERVICE_ORGANIZATION: org_id,
        SERVICE_JWT_ISSUER: issuer.issuer,
        SERVICE_JWT_JWKS_URL: `${issuer.issuer}/keys`,
        SERVICE_JWT_AUDIENCE: "steward",
      });
      const bearer = (claims: object) => ({
        authorization: `Bearer ${issuer.token({ org_id, sub: "ada", roles: ["agent"], ...claims })}`,
      });
      for (const wire of ["grpc", "rest"] as const) {
        const mine = steward.client(wire, { ...bearer({}), "x-org-id": randomUUID() });
        const { plan_id } = await mine.submit(PLAN);
        expect((await steward.client(wire, bearer({})).getPlan(plan_id)).plan_id).toBe(plan_id);

        const spoofing = steward.client(wire, { ...bearer({}), "x-user-role": "admin" });
        await expectRefusal(wire, spoofing.billing.prices(), DENIED);
        expect(await steward.client(wire, bearer({ roles: ["admin"] })).billing.prices()).toEqual(
          [],
        );

        const old = steward.client(wire, bearer({ exp: Math.floor(Date.now() / 1000) - 120 }));
        await expectRefusal(wire, old.submit(PLAN), UNAUTHENTICATED);
        const nobody = steward.client(wire, { "x-org-id": org_id });
        await expectRefusal(wire, nobody.submit(PLAN), UNAUTHENTICATED);

        const carol = (role: string) =>
          steward.client(wire, bearer({ sub: "carol", roles: [role] }));
        await expectRefusal(wire, carol("agent").getPlan(plan_id), UNKNOWN_PLAN);
        for (const role of ["admin", "auditor", "approver"]) {
          expect((await carol(role).getPlan(plan_id)).plan_id).toBe(plan_id);
        }
      }
    },
  },
  {
    cites: ["D2-apikey", "D2-attempts"],
    title: "an API key says who calls; the store does not hold it, and a revoked one is nobody's",
    run: async () => {
      const directory = mkdtempSync(join(tmpdir(), "steward-api-key-"));
      const store = join(directory, "keys.db");
      const settings = { SERVICE_DATABASE_URL: `sqlite:${store}` };
      const org_id = randomUUID();
      const made = ["--org", org_id, "--name", "k", "--role", "admin"];
      const { stdout } = await runSteward(["key", "create", ...made], settings);
      const bearer = { authorization: `Bearer ${stdout.trim()}` };
      {
        await using steward = await Steward.start({
          ...{ ...settings, SERVICE_AUTH: "apikey" },
          SERVICE_ORGANIZATION: org_id,
        });
        for (const wire of ["grpc", "rest"] as const) {
          const { plan_id } = await steward.client(wire, bearer).submit(PLAN);
          const spoofing = { ...bearer, "x-org-id": randomUUID() };
          expect((await steward.client(wire, spoofing).getPlan(plan_id)).plan_id).toBe(plan_id);
          const wrong = { authorization: `${bearer.authorization.slice(0, -4)}0000` };
          await expectRefusal(wire, steward.client(wire, wrong).submit(PLAN), UNAUTHENTICATED);
        }
        const keyId = stdout.split("_")[2] ?? "";
        const made = await fetch(`${steward.url}/api/keys`, {
          method: "POST",
          headers: { ...bearer, "content-type": "application/json" },
          body: JSON.stringify({ name: "unused", roles: ["agent"] }),
        });
        // The body is the one that the contract describes.
        const { data: unused } = (await made.json()) as { data: { api_key: string } };
        const { status } = await fetch(`${steward.url}/api/keys/${keyId}`, {
          method: "DELETE",
          headers: bearer,
        });
        expect(status).toBe(200);
        const listed = async () =>
          (await fetch(`${steward.url}/api/plans`, { headers: bearer })).status;
        await expect.poll(listed).toBe(401);
        for (const wire of ["grpc", "rest"] as const) {
          await expectRefusal(wire, steward.client(wire, bearer).submit(PLAN), UNAUTHENTICATED);
        }
        const guess = { authorization: `Bearer stw_live_${keyId}_${"0".repeat(64)}` };
        const guessed = () => fetch(`${steward.url}/api/plans`, { headers: guess });
        // Five wrong credentials came before.
        for (let n = 5; n < 20; n += 1) expect((await guessed()).status).toBe(401);
        const limited = await guessed();
        expect(limited.status).toBe(429);
        expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
        const right = { authorization: `Bearer ${unused.api_key}` };
        await steward.client("rest", right).submit(PLAN);
      }
      const secret = stdout.trim().split("_")[3] ?? "";
      expect(secret).toHaveLength(64);
      expect(readFileSync(store).includes(secret)).toBe(false);
      rmSync(directory, { recursive: true });
    },
  },
  {
    cites: ["D2-mtls"],
    title: "a client certificate says who calls, and one that is known to nobody is refused",
    run: async () => {
      const directory = mkdtempSync(join(tmpdir(), "steward-mtls-"));
      const file = (name: string, text: string): string => {
        writeFileSync(join(directory, name), text);
        return join(directory, name);
      };
      const uri = "spiffe://example.com/invoice-agent";
      const clients = `clients: [{ uri: "${uri}", org: "${randomUUID()}", agent: invoice-agent, roles: [agent] }]`;
      {
        await using steward = await Steward.start({
          SERVICE_AUTH: "mtls",
          SERVICE_TLS_CERT: file("cert.pem", clientAuthority.cert),
          SERVICE_TLS_KEY: file("key.pem", clientAuthority.key),
          SERVICE_TLS_CLIENT_CA: file("ca.pem", clientAuthority.cert),
          SERVICE_MTLS_CLIENTS: file("clients.yaml", clients),
        });
        const { address } = steward;
        expect(await statusFor(agentClient, address)).toBe(200);
        expect(await statusFor(nobodyClient, address)).toBe(401);
        expect(await statusFor(undefined, address)).toBe(401);
      }
      rmSync(directory, { recursive: true });
    },
  },
];

/** The status of a list of plans requested with this certificate. */
function statusFor(client: TestClient | undefined, address: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { ...client, ca: clientAuthority.cert, checkServerIdentity: () => undefined };
    const headers = { "x-org-id": randomUUID() };
    const asked = request(
      `https://${address}/api/plans`,
      { ...options, headers, agent: false },
      (response) => {
        resolve(response.statusCode);
        response.resume();
      },
    );
    asked.once("error", reject);
    asked.end();
  });
}
