import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS_WAITING_OF_REQUESTER_MAX } from "../approvals/limits.js";
import { HandClock } from "../storage/testing/hand-clock.js";
import { eachStore } from "./testing/each-store.js";
import { ShopServer } from "./testing/shop-server.js";

/*
 * Persons are asked to approve only what the caller has the right to, and an approval is spent only on a call that is
 * then permitted. Each case is tried on both stores.
 */

const GOVERNED = `@id("governance") @approval("approver")
  forbid (principal, action in [Steward::Action::"policies:write", Steward::Action::"keys:write",
    Steward::Action::"memory:purge", Steward::Action::"memory:write"], resource)
  unless { context.approved };`;
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b14";

describe.each(await eachStore())("on %s", (_engine, store) => {
  const clock = new HandClock();
  let shop: ShopServer;
  let keys: Readonly<Record<string, string>>;
  const as = (name: string) => shop.client({ apiKey: keys[name] ?? "" });
  const operator = () => shop.client({ orgId: ORG, role: "operator", userId: "olga" });
  const required = { code: "APPROVAL_REQUIRED", status: 409 };
  const refused = { code: "POLICY_DENIED", status: 403 };
  const put = async (text: string) => {
    const { version } = await operator().policies.getPolicies();
    await operator().policies.putPolicies({ version, text });
    clock.advance(1_000);
  };
  const purge = (name: string, session: string) =>
    as(name).memory.deleteMemorySession({ session_id: session });
  const waiting = async () =>
    (await as("bob").approvals.listApprovals({ status: "pending" })).approvals;
  const approveAll = async () => {
    const approvals = await waiting();
    for (const { approval_id: id, digest } of approvals) {
      await as("bob").approvals.grantApproval({ approval_id: id, digest });
    }
    return approvals.map(({ approval_id }) => approval_id);
  };
  const statusOf = async (id = "") =>
    (await as("bob").approvals.getApproval({ approval_id: id })).status;

  beforeAll(async () => {
    shop = await ShopServer.open({
      ...{ ...store, clock },
      organization: ORG,
      auth: { headers: { trustedProxies: [], proxySecrets: [] }, apiKey: true },
    });
    keys = await shop.makeKeys(ORG, ["admin"], {
      ada: { user_id: "ada" },
      "ada's agent": { user_id: "ada", agent_id: "bot", roles: ["agent"] },
      "ada's weak key": { user_id: "ada", roles: ["agent"] },
      "ada's scoped key": { user_id: "ada", scopes: ["memory:read"] },
      bob: { user_id: "bob", roles: ["approver"] },
      eve: { user_id: "eve" },
      robo: { user_id: "rob", agent_id: "robo", roles: ["agent"] },
      dan: { user_id: "dan", roles: ["auditor"] },
    });
    await put(GOVERNED);
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  it("a caller without the right is refused, asks nobody, and spends nobody's approval", async () => {
    for (const name of ["ada's agent", "robo", "ada's weak key", "ada's scoped key"]) {
      await expect(purge(name, "s"), name).rejects.toMatchObject(refused);
    }
    expect(await waiting()).toEqual([]);
    await expect(purge("ada", "s")).rejects.toMatchObject(required);
    const [id] = await approveAll();
    for (const name of ["ada's agent", "ada's weak key", "ada's scoped key"]) {
      await expect(purge(name, "s"), name).rejects.toMatchObject(refused);
    }
    expect(await statusOf(id)).toBe("approved");
    await purge("ada", "s");
    expect(await statusOf(id)).toBe("used");
  });

  it("a call that is refused for what it names gives its approval back", async () => {
    const name = "a key with too many rights";
    const create = () => as("ada").keys.createApiKey({ name, roles: ["operator"] });
    await expect(create()).rejects.toMatchObject(required);
    const [id] = await approveAll();
    await expect(create()).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining("more rights than its creator") as string,
    });
    expect(await statusOf(id)).toBe("approved");
    const { records } = await as("dan").audit.listAuditRecords({ subject: id ?? "" });
    const kinds = records.map(({ entry }) => (JSON.parse(entry) as { kind: string }).kind);
    expect(kinds.toReversed()).toEqual([
      ...["approval.request", "approval.decide", "approval.use", "approval.give_back"],
    ]);
  });

  it("the parameters are seen by the requester, by those who decide, and by those with the same right", async () => {
    const { version } = await as("ada").policies.getPolicies();
    const text = `${GOVERNED} // not for every agent`;
    await expect(as("ada").policies.putPolicies({ version, text })).rejects.toMatchObject(required);
    const [approval] = await waiting();
    const id = approval?.approval_id ?? "";
    for (const name of ["ada", "bob", "eve"]) {
      expect(
        (await as(name).approvals.getApproval({ approval_id: id })).subject.statement,
        name,
      ).toContain("every agent");
    }
    for (const name of ["ada's agent", "robo", "dan"]) {
      const seen = await as(name)
        .approvals.listApprovals()
        .catch(() => ({ approvals: [] }));
      expect(JSON.stringify(seen), name).not.toContain("every agent");
      await expect(as(name).approvals.getApproval({ approval_id: id }), name).rejects.toMatchObject(
        {
          code: expect.stringMatching(/^(NOT_FOUND|POLICY_DENIED)$/) as string,
        },
      );
    }
  });

  it("one requester takes only a share of the places, and changed policies free all of them", async () => {
    for (let count = 0; count < OPERATIONS_WAITING_OF_REQUESTER_MAX; count += 1) {
      await expect(purge("eve", `of eve ${String(count)}`)).rejects.toMatchObject(required);
    }
    const full = { code: "QUOTA_EXCEEDED", status: 429 };
    await expect(purge("eve", "one more")).rejects.toMatchObject(full);
    await expect(purge("ada", "of ada")).rejects.toMatchObject(required);
    const [late] = await waiting();
    await put(`${GOVERNED} // changed`);
    expect(await waiting()).toEqual([]);
    const { approval_id: id = "", digest = "" } = late ?? {};
    expect(await statusOf(id)).toBe("void");
    const { approvals: ended } = await as("bob").approvals.listApprovals({
      status: "void",
      limit: 200,
    });
    expect(ended.map((each) => [each.approval_id, each.status])).toContainEqual([id, "void"]);
    await expect(
      as("bob").approvals.grantApproval({ approval_id: id, digest }),
    ).rejects.toMatchObject({
      code: "APPROVAL_CONFLICT",
    });
    await expect(purge("eve", "one more")).rejects.toMatchObject(required);
  });
});
