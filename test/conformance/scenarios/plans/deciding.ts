import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { DENIED } from "../../billing-expectations.js";
import type { Client, Identity } from "../../client.js";
import { expectNotRun, expectRefusal, rowsOf } from "../../expectations.js";
import { scenario, step, type Scenario, type World } from "../../scenario.js";
import { putPolicies } from "../authorization.js";

const DELETIONS = `@id("two-eyes") @approval("approver")
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;
const NO_NAMES = `@id("no-names")
  forbid (principal in Steward::Role::"agent", action, resource)
  when { context has columns && context.columns.contains("visitors/name") };`;

const WAITS = { code: "APPROVAL_REQUIRED", rest: 409 } as const;
const UNAUTHENTICATED = { code: "UNAUTHENTICATED", grpc: "UNAUTHENTICATED", rest: 401 } as const;

/** An organization of its own, with policies and a table. */
class Organization {
  readonly #world: World;
  readonly #id = randomUUID();
  /** A table of two rows. */
  readonly table = `visits_${this.#id.replaceAll("-", "")}`;

  constructor(world: World) {
    this.#world = world;
  }

  static async with(world: World, policies?: string): Promise<Organization> {
    const made = new Organization(world);
    await world.steward.sql(`CREATE TABLE ${made.table} (id integer, name text)`);
    await world.steward.sql(`INSERT INTO ${made.table} VALUES (1, 'a'), (2, 'b')`);
    if (policies !== undefined) await made.put(policies);
    return made;
  }

  async put(policies: string): Promise<void> {
    const admin = this.#headers({ "x-user-role": "admin" });
    expect((await putPolicies(this.#world.steward, admin, policies)).status).toBe(200);
  }

  as(identity: Identity): Client {
    return this.#world.client.as(this.#headers(identity));
  }

  /** Approves what a plan waits for. @returns the HTTP status. */
  async approve(planId: string, identity: Identity, more: object = {}): Promise<number> {
    const headers = { ...this.#headers(identity), "content-type": "application/json" };
    const url = `${this.#world.steward.url}/api/approvals`;
    const found = await fetch(`${url}?plan_id=${planId}&status=pending`, {
      headers: this.#headers({ "x-user-role": "admin" }),
    });
    // The bodies are those that the documents describe.
    const { data } = (await found.json()) as {
      readonly data: {
        readonly approvals: readonly { readonly approval_id: string; readonly digest: string }[];
      };
    };
    const [asked] = data.approvals;
    const answer = await fetch(`${url}/${asked?.approval_id ?? ""}/approve`, {
      ...{ method: "POST", headers },
      body: JSON.stringify({ digest: asked?.digest, ...more }),
    });
    return answer.status;
  }

  #headers(identity: Identity): Identity {
    return { "x-org-id": this.#id, ...identity };
  }
}

const ADA = { "x-user-id": "ada", "x-user-role": "agent", "x-agent-id": "bot" };
const BOB = { "x-user-id": "bob", "x-user-role": "approver" };

async function submitted(client: Client, sql: string, intent = ""): Promise<string> {
  return (await client.submit({ name: "a plan", steps: [step("a", sql, { intent })] })).plan_id;
}

/** What decides: about statements, stored outputs and approvals. */
export const deciding: readonly Scenario[] = [
  scenario(
    ["D18-kinds"],
    "what a statement does decides, whatever intent its step declares",
    async (world) => {
      const org = await Organization.with(world, DELETIONS);
      const admin = org.as({ "x-user-id": "root", "x-user-role": "admin" });
      for (const intent of ["", "write_delete", "cross_system_transaction", "admin"]) {
        const planId = await submitted(admin, `DELETE FROM ${org.table}`, intent);
        expectNotRun(world.client.wire, await admin.execute(planId, "a"), WAITS);
      }
    },
  ),
  scenario(
    ["D18-outputs"],
    "a stored output is decided on again for whoever asks for it",
    async (world) => {
      const org = await Organization.with(world);
      const policies = NO_NAMES.replace("visitors", org.table);
      const root = { "x-user-id": "ada", "x-user-role": "admin" };
      const planId = await submitted(org.as(root), `SELECT name FROM ${org.table}`);
      expect(await rowsOf(org.as(root), planId, "a")).toHaveLength(2);
      const agent = org.as({ "x-user-id": "ada", "x-user-role": "agent" });
      expect(await rowsOf(agent, planId, "a")).toHaveLength(2);
      await org.put(policies);
      expectNotRun(world.client.wire, await agent.execute(planId, "a"), {
        ...{ code: "POLICY_DENIED", rest: 403 },
      });
    },
  ),
  scenario(
    ["D18-others"],
    "on plain loopback everybody reads the plans of others",
    async (world) => {
      const org = await Organization.with(world);
      const planId = await submitted(org.as(ADA), "SELECT 1 AS n");
      for (const role of ["", "agent", "auditor"]) {
        const reader = org.as({ "x-user-id": "carol", "x-user-role": role });
        expect((await reader.getPlan(planId)).plan_id).toBe(planId);
      }
    },
  ),
  scenario(
    ["D18-approvers"],
    "an approval is given by a named person who neither wrote nor requested it, and by no agent",
    async (world) => {
      const org = await Organization.with(world, DELETIONS);
      const agent = org.as(ADA);
      const planId = await submitted(agent, `DELETE FROM ${org.table} WHERE id = 1`);
      expectNotRun(world.client.wire, await agent.execute(planId, "a"), WAITS);
      for (const wrong of [
        { ...BOB, "x-user-id": "ada" },
        { ...BOB, "x-agent-id": "bot" },
        { "x-user-role": "approver" },
        { ...BOB, "x-user-role": "agent" },
      ]) {
        expect(await org.approve(planId, wrong), JSON.stringify(wrong)).toBe(403);
      }
      expect(await org.approve(planId, BOB)).toBe(200);
      expect((await agent.execute(planId, "a")).success).toBe(true);
    },
  ),
  scenario(
    ["D18-rows", "D18-definitions"],
    "an approval is for the rows that were approved, and for the present definitions",
    async (world) => {
      const org = await Organization.with(world, DELETIONS);
      const agent = org.as(ADA);
      const waiting = async (sql: string): Promise<string> => {
        const planId = await submitted(agent, sql);
        expectNotRun(world.client.wire, await agent.execute(planId, "a"), WAITS);
        return planId;
      };
      const all = await waiting(`DELETE FROM ${org.table}`);
      expect(await org.approve(all, BOB, { rows_changed_max: 1 })).toBe(200);
      expect((await agent.execute(all, "a")).step_result?.status).toBe("failed");
      const view = `${org.table}_view`;
      await world.steward.sql(`CREATE VIEW ${view} AS SELECT id FROM ${org.table} WHERE id = 1`);
      const some = await waiting(`DELETE FROM ${org.table} WHERE id IN (SELECT id FROM ${view})`);
      expect(await org.approve(some, BOB, { rows_changed_max: 9 })).toBe(200);
      await world.steward.sql(`DROP VIEW ${view}`);
      await world.steward.sql(`CREATE VIEW ${view} AS SELECT id FROM ${org.table}`);
      expectNotRun(world.client.wire, await agent.execute(some, "a"), WAITS);
    },
  ),
  scenario(
    ["D18-credential"],
    "a credential that the mode does not read is refused",
    async ({ client }) => {
      const unread = client.as({ authorization: "Bearer nonsense" });
      const plan = { name: "a plan", steps: [step("a", "SELECT 1 AS n")] };
      await expectRefusal(client.wire, unread.submit(plan), UNAUTHENTICATED);
    },
  ),
  scenario(
    ["D16-first", "D16-trying-out"],
    "before any policy an agent's credential reads, and its writes are refused with the command that makes policies",
    async (world) => {
      const org = await Organization.with(world);
      const write = `DELETE FROM ${org.table} WHERE id = 1`;
      const plan = { name: "a plan", steps: [step("a", write)] };
      for (const identity of [ADA, { ...ADA, "x-user-role": "admin" }]) {
        const agent = org.as(identity);
        const planId = await submitted(agent, `SELECT id FROM ${org.table}`);
        expect(await rowsOf(agent, planId, "a")).toHaveLength(2);
        await expectRefusal(world.client.wire, agent.submit(plan), {
          ...DENIED,
          message: /steward policy init/,
        });
      }
      // The contract's callers without a role, on plain loopback.
      const anybody = org.as({});
      const planId = await submitted(anybody, write);
      expect((await anybody.execute(planId, "a")).success).toBe(true);
    },
  ),
];
