import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HandClock } from "../storage/testing/hand-clock.js";
import { BareClient } from "../transport/grpc/testing/bare-client.js";
import { eachStore } from "./testing/each-store.js";
import { ShopServer } from "./testing/shop-server.js";

/*
 * Changes of policies and keys, and every other operation, can be put under approval. Each attempt to get round
 * it is made on both stores.
 */

const GOVERNED = `@id("governance") @approval("approver")
  forbid (principal, action in [Steward::Action::"policies:write", Steward::Action::"keys:write",
    Steward::Action::"budgets:write", Steward::Action::"state:write"], resource)
  unless { context.approved };`;
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b13";

describe.each(await eachStore())("on %s", (_engine, store) => {
  const clock = new HandClock();
  let shop: ShopServer;
  let keys: Readonly<Record<string, string>>;
  const as = (name: string) => shop.client({ apiKey: keys[name] ?? "" });
  const text = (more = "") => `${GOVERNED}\n${more}`;
  let number = 0;
  /** A new key to ask for, which no other test has asked for. */
  const asked = () => ({ name: `key ${String((number += 1))}`, roles: ["agent"] });
  const required = { code: "APPROVAL_REQUIRED", status: 409 };
  /** The approval that waits for the operation of a caller. */
  const waiting = async (operation: string, about = "") => {
    const { approvals } = await as("bob").approvals.listApprovals({ status: "pending" });
    const found = approvals.find(
      ({ step_id, subject }) => step_id === operation && subject.statement.includes(about),
    );
    if (found === undefined) throw new Error(`nothing waits for ${operation}`);
    return found;
  };
  const approve = async (operation: string, about = "") => {
    const { approval_id: id, digest } = await waiting(operation, about);
    await as("bob").approvals.grantApproval({ approval_id: id, digest });
    return id;
  };

  beforeAll(async () => {
    shop = await ShopServer.open({
      ...{ ...store, clock },
      organization: ORG,
      auth: { headers: { trustedProxies: [], proxySecrets: [] }, apiKey: true },
    });
    const root = shop.client({ orgId: ORG, role: "admin", userId: "root" });
    keys = await shop.makeKeys(ORG, ["admin", "approver"], {
      ada: { user_id: "ada" },
      "ada's other key": { user_id: " Ada" },
      bob: { user_id: "bob" },
      eve: { user_id: "eve" },
      nobody: {},
      bot: { user_id: "bob", agent_id: "bot", roles: ["agent", "approver"] },
    });
    await root.policies.putPolicies({ version: 0, text: text() });
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  it("a key is created once, for its requester, after another person has approved exactly that", async () => {
    const body = asked();
    await expect(as("ada").keys.createApiKey(body)).rejects.toMatchObject(required);
    // Repeating it requests nothing new.
    await expect(as("ada").keys.createApiKey(body)).rejects.toMatchObject(required);
    const approval = await waiting("createApiKey", body.name);
    expect(approval).toMatchObject({ plan_id: "", requester: { user_id: "ada" } });
    expect(JSON.parse(approval.subject.statement)).toMatchObject(body);
    const { approval_id: id, digest } = approval;
    for (const name of ["ada", "ada's other key", "nobody", "bot"]) {
      await expect(
        as(name).approvals.grantApproval({ approval_id: id, digest }),
        name,
      ).rejects.toMatchObject({
        code: "POLICY_DENIED",
      });
    }
    const other = { digest: "00".repeat(32) };
    await expect(
      as("bob").approvals.grantApproval({ approval_id: id, ...other }),
    ).rejects.toMatchObject({
      code: "APPROVAL_CONFLICT",
    });
    expect(await as("bob").approvals.grantApproval({ approval_id: id, digest })).toMatchObject({
      status: "approved",
    });
    // Neither another person nor another body has it.
    await expect(as("eve").keys.createApiKey(body)).rejects.toMatchObject(required);
    for (const more of [{ roles: ["admin"] }, { user_id: "ada" }, { name: `${body.name} ` }]) {
      await expect(as("ada").keys.createApiKey({ ...body, ...more })).rejects.toMatchObject(
        required,
      );
    }
    const results = await Promise.allSettled(
      [1, 2, 3, 4].map(() => as("ada").keys.createApiKey(body)),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await as("bob").approvals.getApproval({ approval_id: id })).toMatchObject({
      status: "used",
    });
    const { keys: all } = await as("ada").keys.listApiKeys();
    expect(all.filter(({ name }) => name === body.name)).toHaveLength(1);
    const told = JSON.stringify(await as("bob").approvals.listApprovals());
    for (const result of results) {
      if (result.status === "fulfilled") expect(told).not.toContain(result.value.api_key);
    }
    await expect(as("ada").keys.createApiKey(body)).rejects.toMatchObject(required);
    for (const { approval_id, digest: left } of (
      await as("bob").approvals.listApprovals({ status: "pending" })
    ).approvals) {
      await as("bob").approvals.denyApproval({ approval_id, digest: left, reason: "tidy up" });
    }
    await expect(as("eve").keys.createApiKey(body)).rejects.toMatchObject({
      code: "APPROVAL_DENIED",
      message: expect.stringContaining("bob denied it: tidy up") as string,
    });
  });

  it("keys are rotated and revoked, and policies put, in the same way; a denial and expiry end it", async () => {
    const all = (await as("ada").keys.listApiKeys()).keys;
    const id = all.find(({ name }) => name === "nobody")?.key_id ?? "";
    const rotate = () => as("ada").keys.rotateApiKey({ key_id: id });
    await expect(rotate()).rejects.toMatchObject(required);
    await approve("rotateApiKey");
    expect(await rotate()).toHaveProperty("api_key");
    await expect(rotate()).rejects.toMatchObject(required);

    const revoke = () => as("ada").keys.revokeApiKey({ key_id: id });
    await expect(revoke()).rejects.toMatchObject(required);
    await approve("revokeApiKey");
    clock.advance(25 * 3_600_000);
    await expect(revoke()).rejects.toMatchObject(required);
    await approve("revokeApiKey");
    await revoke();

    const { version } = await as("ada").policies.getPolicies();
    const put = () => as("ada").policies.putPolicies({ version, text: text("// a comment") });
    await expect(put()).rejects.toMatchObject(required);
    const approval = await waiting("putPolicies");
    expect(approval.subject.statement).toContain('"// a comment"');
    await approve("putPolicies");
    expect(await put()).toMatchObject({ version: version + 1 });
  });

  it("changed policies end what was approved under the former ones", async () => {
    const body = asked();
    await expect(as("ada").keys.createApiKey(body)).rejects.toMatchObject(required);
    await approve("createApiKey", body.name);
    const { version } = await as("ada").policies.getPolicies();
    // An operator can always change policies.
    const operator = shop.client({ orgId: ORG, role: "operator", userId: "olga" });
    await operator.policies.putPolicies({ version, text: text("// changed") });
    clock.advance(1_000);
    await expect(as("ada").keys.createApiKey(body)).rejects.toMatchObject(required);
  });

  it("a policy that forbids even what is approved says so", async () => {
    const operator = shop.client({ orgId: ORG, role: "operator", userId: "olga" });
    const put = async (policies: string) => {
      const { version } = await operator.policies.getPolicies();
      await operator.policies.putPolicies({ version, text: policies });
      clock.advance(1_000);
    };
    const always = `@id("always") @approval("approver")
      forbid (principal, action == Steward::Action::"keys:write", resource)
      unless { context.approved && context.hour > 23 };`;
    await put(text(always));
    await expect(as("ada").keys.createApiKey(asked())).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: expect.stringContaining("unless { context.approved }") as string,
    });
    await put(text());
  });

  it.each([
    ['action == Steward::Action::"approvals:decide"', "approvals:decide,"],
    ['action in Steward::Action::"approvals"', "approvals:read, approvals:decide,"],
    [
      'action in [Steward::Action::"keys:write", Steward::Action::"plans:read_all"]',
      "plans:read_all,",
    ],
    ['action in Steward::Action::"migrations"', "migrations:code,"],
    ['action == Steward::Action::"memory:record"', "memory:record,"],
    ["action", "approvals:read, approvals:decide, plans:read_all, migrations:code, memory:record,"],
  ])("a policy about %s, which nobody can approve, is refused", async (action, named) => {
    const policy = `@id("never") @approval("approver") forbid (principal, ${action}, resource)
      unless { context.approved };`;
    const operator = shop.client({ orgId: ORG, role: "operator", userId: "olga" });
    const { version } = await operator.policies.getPolicies();
    await expect(
      operator.policies.putPolicies({ version, text: text(policy) }),
    ).rejects.toMatchObject({
      message: expect.stringContaining(`nobody can approve ${named} so the policy`) as string,
    });
  });

  it("only a named person requests one, and an agent governs nothing", async () => {
    await expect(as("nobody").keys.createApiKey(asked())).rejects.toMatchObject({ status: 401 });
    const unnamed = shop.client({ orgId: ORG, role: "admin" });
    await expect(unnamed.keys.createApiKey(asked())).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: expect.stringContaining("only a person with a name") as string,
    });
    await expect(as("bot").keys.createApiKey(asked())).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: expect.stringContaining("An agent's credential governs nothing") as string,
    });
  });

  it("every operation waits, also over gRPC and where the policy is about what the request names", async () => {
    const grpc = new BareClient(shop.port);
    const withKey = (name: string) => ({
      metadata: { authorization: `Bearer ${keys[name] ?? ""}` },
    });
    const budget = {
      scope: "organization",
      unit: "aau",
      period: "month",
      limit: "10",
      action: "warn",
    };
    const set = () => grpc.call("SetBudget", budget, withKey("ada"));
    await expect(set()).rejects.toThrow(/SetBudget|setBudget/i);
    const { approval_id: id, digest } = await waiting("setBudget");
    await grpc.call("GrantApproval", { approval_id: id, digest }, withKey("bob"));
    await set();
    await expect(set()).rejects.toThrow(/needs the approval/);
    grpc.close();

    const branch = `@id("main") @approval("approver")
      forbid (principal, action == Steward::Action::"state:write", resource == Steward::Branch::"main")
      unless { context.approved };`;
    const operator = shop.client({ orgId: ORG, role: "operator", userId: "olga" });
    const { version } = await operator.policies.getPolicies();
    await operator.policies.putPolicies({ version, text: branch });
    clock.advance(1_000);
    const document = { format: "n-quads", content: '<urn:a> <urn:b> "c" .\n', message: "m" };
    const send = () =>
      fetch(`${shop.baseUrl}/api/state/import`, {
        ...{ method: "POST", body: JSON.stringify(document) },
        headers: { ...withKey("ada").metadata, "content-type": "application/json" },
      });
    expect((await send()).status).toBe(409);
    await approve("importState");
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(409);
  });

  it("the audit log tells of the request, the decision, the use and the operation", async () => {
    const { records } = await as("ada").audit.listAuditRecords({ limit: 200 });
    const kinds = records.map(({ entry }) => (JSON.parse(entry) as { kind: string }).kind);
    expect(kinds).toEqual(
      expect.arrayContaining(["approval.request", "approval.decide", "approval.use", "key.create"]),
    );
  });
});
