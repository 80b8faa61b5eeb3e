import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { DENIED, wrong } from "../billing-expectations.js";
import { expectNotRun, expectRefusal } from "../expectations.js";
import { scenario, step, type Scenario } from "../scenario.js";
import type { Steward } from "../steward.js";

const PLAN = { name: "a plan", steps: [step("a", "SELECT 1 AS n")] };

/** Forbids agents to read. */
const NO_STEPS = `@id("no-reads")
  forbid (principal in Steward::Role::"agent", action == Steward::Action::"read_select", resource);`;

/** Forbids agents to read a column, based on the touched data of the whole statement. */
const NO_EMAILS = `@id("no-emails")
  forbid (principal in Steward::Role::"agent", action, resource)
  when { context has columns && context.columns.contains("members/email") };`;

/** Names a role of the organization's own. */
const NIGHT_SHIFT = `@id("no-cancel-at-night")
  forbid (principal in Steward::Role::"night shift", action == Steward::Action::"plans:cancel", resource);`;

/** Forbids agents to cancel. */
const NO_CANCEL = `@id("no-cancel")
  forbid (principal in Steward::Role::"agent", action == Steward::Action::"plans:cancel", resource);`;

const UNKNOWN_PLAN = { code: "PLAN_NOT_FOUND", grpc: "NOT_FOUND", rest: 404 } as const;

/** Excludes calls that touch a column from the memory. */
const NOT_REMEMBERED = `@id("no-names")
  forbid (principal, action == Steward::Action::"memory:record", resource)
  when { context.columns.contains("patients/name") };`;

/** Sets the first policies of an organization. */
export function putPolicies(
  { url }: Pick<Steward, "url">,
  headers: Readonly<Record<string, string>>,
  text: string,
): Promise<Response> {
  return fetch(`${url}/api/policies`, {
    method: "PUT",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ text, version: 0 }),
  });
}

/** Access by role, and without a role. */
export const authorization: readonly Scenario[] = [
  scenario(
    ["D16-default-deny", "D16-named", "D18-unknown-role"],
    "a role may do what policies permit it, and is told which role would do; one that no policy knows counts as none on loopback",
    async ({ client }) => {
      const billing = client.as({ "x-user-role": "billing" });
      await expectRefusal(client.wire, billing.submit(PLAN), DENIED);
      await expect(billing.submit(PLAN)).rejects.toThrow(
        /plans:submit needs the role operator, admin, schema or agent; the request has only the role billing/,
      );
      await expectRefusal(client.wire, billing.memory.list(), DENIED);
      expect((await client.as({ "x-user-role": "viewer" }).submit(PLAN)).status).toBe("pending");
    },
  ),
  scenario(
    ["D16-roles"],
    "an agent runs plans, an auditor only looks at them",
    async ({ client }) => {
      const { plan_id } = await client.as({ "x-user-role": "agent" }).submit(PLAN);
      const auditor = client.as({ "x-user-role": "Auditor" });
      expect((await auditor.getPlan(plan_id)).plan_id).toBe(plan_id);
      await expectRefusal(client.wire, auditor.submit(PLAN), DENIED);
      await expectRefusal(client.wire, auditor.cancel(plan_id), DENIED);
    },
  ),
  scenario(
    ["D16-own-roles"],
    "a role of an organization's own permits nothing, and what cannot name a role is refused",
    async ({ client, steward }) => {
      const orgId = randomUUID();
      await putPolicies(steward, { "x-org-id": orgId, "x-user-role": "admin" }, NIGHT_SHIFT);
      const shift = client.as({ "x-org-id": orgId, "x-user-role": "Night Shift" });
      await expectRefusal(client.wire, shift.submit(PLAN), DENIED);
      await expect(shift.submit(PLAN)).rejects.toThrow(/has only the role night shift/);
      const unnamed = client.as({ "x-user-role": "r".repeat(129) });
      await expectRefusal(client.wire, unnamed.submit(PLAN), wrong("x-user-role"));
    },
  ),
  scenario(
    ["D16-admin-intent"],
    "a change of the schema needs its right when it is submitted, and again when it runs",
    async ({ client }) => {
      const change = {
        name: "a change",
        steps: [step("a", "CREATE TABLE governed (n integer)", { intent: "admin" })],
      };
      const agent = client.as({ "x-user-role": "agent" });
      await expectRefusal(client.wire, agent.submit(change), DENIED);
      const { plan_id } = await client.as({ "x-user-role": "schema" }).submit(change);
      const refused = { code: "POLICY_DENIED", rest: 403 };
      expectNotRun(client.wire, await agent.execute(plan_id, "a"), refused);
      expect((await client.getPlan(plan_id)).steps[0]?.status).toBe("pending");
    },
  ),
  scenario(
    ["D16-own"],
    "policies of an organization hold its agents back from a table, and nobody else's",
    async ({ client, steward }) => {
      const orgId = randomUUID();
      const headers = { "x-org-id": orgId, "x-user-role": "admin" };
      const put = (text: string) => putPolicies(steward, headers, text);
      expect((await put("permit (principal, action, resource);")).status).toBe(400);
      expect((await put(NO_STEPS)).status).toBe(200);
      const held = client.as({ "x-org-id": orgId, "x-user-role": "agent" });
      await expectRefusal(client.wire, held.submit(PLAN), DENIED);
      await client.as({ "x-user-role": "agent" }).submit(PLAN);
    },
  ),
  scenario(
    ["D16-touched"],
    "a column that policies forbid is not read by way of a view",
    async ({ client, steward }) => {
      const headers = { "x-org-id": randomUUID(), "x-user-role": "admin" };
      const run = async (role: string, sql: string) => {
        const caller = client.as({ ...headers, "x-user-role": role });
        const { plan_id } = await caller.submit({ name: "a plan", steps: [step("a", sql)] });
        return caller.execute(plan_id, "a");
      };
      await run("admin", "CREATE TABLE members (id integer, email text)");
      await run("admin", "CREATE VIEW contacts AS SELECT email AS contact FROM members");
      await putPolicies(steward, headers, NO_EMAILS);
      const refused = { code: "POLICY_DENIED", rest: 403 };
      const denied = await run("agent", "SELECT contact FROM contacts");
      expectNotRun(client.wire, denied, refused);
      expect((await run("agent", "SELECT id FROM members")).success).toBe(true);
    },
  ),
  scenario(
    ["D16-written"],
    "a statement that its writer may not run does not run for a caller who may",
    async ({ client, steward }) => {
      const headers = { "x-org-id": randomUUID(), "x-user-role": "admin" };
      const agent = { ...headers, "x-user-role": "agent", "x-agent-id": "bot" };
      const [admin, bot] = [client.as(headers), client.as(agent)];
      const run = async (sql: string, writer = admin) => {
        const { plan_id } = await writer.submit({ name: "a plan", steps: [step("a", sql)] });
        return admin.execute(plan_id, "a");
      };
      await run("CREATE TABLE members (id integer, email text)");
      await putPolicies(steward, headers, NO_EMAILS);
      const refused = { code: "POLICY_DENIED", rest: 403 };
      const written = "SELECT email FROM members";
      expectNotRun(client.wire, await run(written, bot), refused);
      expect((await run(written)).success).toBe(true);
      expect((await run("SELECT id FROM members", bot)).success).toBe(true);
    },
  ),
  scenario(
    ["D16-cancel"],
    "a plan is cancelled by whoever may cancel plans of its organization, whoever submitted it",
    async ({ client, steward }) => {
      const orgId = randomUUID();
      const of = (role: string, name: string, org = orgId) =>
        client.as({ "x-org-id": org, "x-user-role": role, "x-user-id": name });
      const submitted = async () => {
        const { plan_id } = await of("agent", "ann").submit(PLAN);
        return plan_id;
      };
      const own = await submitted();
      for (const role of ["auditor", "approver", "billing"]) {
        await expectRefusal(client.wire, of(role, "ann").cancel(own), DENIED);
      }
      await expectRefusal(client.wire, of("admin", "eve", randomUUID()).cancel(own), UNKNOWN_PLAN);
      expect((await of("agent", "ann").getPlan(own)).status).toBe("pending");
      expect(await of("agent", "ann").cancel(own)).toMatchObject({ status: "cancelled" });
      expect(await of("agent", "bob").cancel(await submitted())).toMatchObject({
        status: "cancelled",
      });
      const kept = await submitted();
      await putPolicies(steward, { "x-org-id": orgId, "x-user-role": "admin" }, NO_CANCEL);
      await expectRefusal(client.wire, of("agent", "ann").cancel(kept), DENIED);
      expect(await of("admin", "ada").cancel(kept)).toMatchObject({ status: "cancelled" });
    },
  ),
  scenario(
    ["D16-remembered"],
    "what touches a column that policies keep out of the memory makes no entry, and other work does",
    async ({ client, steward }) => {
      const headers = { "x-org-id": randomUUID(), "x-user-role": "admin" };
      const admin = client.as(headers);
      const run = async (sql: string) => {
        const { plan_id } = await admin.submit({ name: "a plan", steps: [step("a", sql)] });
        expect((await admin.execute(plan_id, "a")).success).toBe(true);
      };
      await run("CREATE TABLE IF NOT EXISTS patients (id integer, name text)");
      await putPolicies(steward, headers, NOT_REMEMBERED);
      await run("SELECT * FROM patients");
      await run("SELECT id FROM patients");
      const queries = async () => {
        const { entries } = await admin.memory.list();
        return entries.map(({ content }) => (JSON.parse(content) as { query: string }).query);
      };
      // The hook processes calls in order, so the last call is last.
      await expect.poll(queries).toContain("SELECT id FROM patients");
      expect(await queries()).not.toContain("SELECT * FROM patients");
    },
  ),
  scenario(
    ["D16-trying-out"],
    "on plain loopback a caller who names no role may do everything but billing",
    async ({ client }) => {
      const { plan_id } = await client.submit(PLAN);
      await client.cancel(plan_id);
      await expectRefusal(client.wire, client.billing.prices(), DENIED);
    },
  ),
];
