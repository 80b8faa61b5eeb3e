import { describe, expect, it } from "vitest";
import { cedarEngine, defaultPolicies } from "../adapters/policy-cedar/index.js";
import type { Action } from "../identity/index.js";
import type { Intent, NeededApproval, PlannedStatement } from "../governance/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import { NOBODY } from "@steward/kernel/testing/nobody.js";
import { toolCallRecord } from "../kernel/testing/tool-call-record.js";
import type { RecordedData, ToolCallRecord } from "../kernel/tool-call.js";
import { Authorizer } from "./authorizer.js";
import type { CompiledPolicies } from "./ports.js";

const AGENT = { ...NOBODY, kind: "agent", agentId: "bot", roles: ["agent"] } as const;
const engine = cedarEngine();
const SHIPPED = engine.compile([defaultPolicies()]);

/** An authorizer with the shipped policies and these; its clock shows nine o'clock. */
function authorizer(
  own = "",
  now = { hour: 9, policies: policiesWith(own) },
  providerIsRemote = false,
): Authorizer {
  return new Authorizer({
    policies: { shipped: SHIPPED, of: () => now.policies },
    clock: { nowMs: () => Date.UTC(2026, 0, 5, now.hour) },
    statements: { aauOf: (intent) => (intent === "read_select" ? 1 : 3), rowsChangedMax: 500 },
    providerIsRemote,
  });
}

function policiesWith(own: string): CompiledPolicies {
  return engine.compile([defaultPolicies(), own]);
}

const DESPITE = "forbids it now even when it is approved";

/** The grant of a statement without a limit of rows. */
const PERMITTED: unknown = { policyVersion: expect.any(String) as string };

/** A statement that reads the given tables and columns. */
const read = (tables: readonly string[], columns: readonly string[] = []): PlannedStatement => ({
  ...{ dataSource: "shop", intent: "read_select" },
  touched: {
    tables: tables.map((name) => {
      const read = columns.flatMap((column) => column.split(`${name}/`)[1] ?? []);
      return { name, accesses: { read }, columns: [...read, "city"] };
    }),
    functions: [],
  },
});

describe("a statement", () => {
  it.each([
    ["agent", "read_select", true],
    ["agent", "write_delete", true],
    ["agent", "cross_system_transaction", true],
    ["agent", "admin", false],
    ["schema", "admin", true],
    ["schema", "write_insert", false],
    ["auditor", "read_select", false],
    ["admin", "admin", true],
  ] as const)("of the role %s with the intent %s runs: %s", async (role, intent, may) => {
    const asked = authorizer().permit({ ...AGENT, roles: [role] }, { dataSource: "shop", intent });
    if (may) {
      const uncounted = intent === "admin" ? { mayChangeUncounted: true } : {};
      expect(await asked).toEqual({ policyVersion: expect.any(String) as string, ...uncounted });
    } else {
      await expect(asked).rejects.toMatchObject({
        code: "POLICY_DENIED",
        message: expect.stringMatching(
          new RegExp(
            `^${intent} on shop needs the role .*; the request has only the role ${role}$`,
          ),
        ) as string,
      });
    }
  });

  it("with the intent admin runs with the permission manage:schema too", async () => {
    const caller = { ...AGENT, permissions: ["manage:schema"] };
    const permitted = await authorizer().permit(caller, { dataSource: "shop", intent: "admin" });
    const { version } = policiesWith("");
    expect(permitted).toEqual({ policyVersion: version, mayChangeUncounted: true });
  });

  it("is denied for a table or a column that a policy forbids, which are named with what is left", async () => {
    const policy = authorizer(`
      @id("no-salaries") @reason("Salaries are for people")
      forbid (principal is Steward::Agent, action, resource == Steward::Table::"shop/salaries");
      @id("no-emails")
      forbid (principal, action, resource == Steward::Column::"shop/customers/email");`);
    expect(await policy.looksAtData(AGENT)).toBe(true);
    expect(await policy.permit(AGENT, read(["orders"], ["orders/id"]))).toEqual(PERMITTED);
    await expect(policy.permit(AGENT, read(["orders", "salaries"]))).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: "Salaries are for people: denied here: table salaries",
      details: [
        { field: "policy no-salaries", reason: "Salaries are for people" },
        { field: "table salaries" },
        { reason: expect.stringContaining("it may still use table orders") as string },
      ],
    });
    const columns = read(["customers"], ["customers/id", "customers/email"]);
    await expect(policy.permit(AGENT, columns)).rejects.toMatchObject({
      message: "The policy no-emails forbids read_select: denied here: column customers.email",
      details: expect.arrayContaining([
        {
          field: "instead",
          reason: expect.stringContaining(
            "table customers, column customers.id, column customers.city",
          ) as string,
        },
      ]) as object[],
    });
  });

  it("is denied with a table when the policy forbids all that is in it", async () => {
    const policy = authorizer(
      'forbid (principal, action, resource in Steward::Table::"shop/pay");',
    );
    await expect(policy.permit(AGENT, read(["orders", "pay"], ["pay/sum"]))).rejects.toThrow(
      "denied here: table pay",
    );
  });

  it("may be held to fewer rows by a policy, and to no more than the service allows", async () => {
    const policies = policiesWith(`
      @id("few") @rows_changed_max("100")
      forbid (principal, action in Steward::Action::"writes", resource)
      when { context.rowsChangedMax > 100 };
      @id("fewer") @rows_changed_max("10")
      forbid (principal, action == Steward::Action::"write_delete", resource)
      when { context.rowsChangedMax > 10 };`);
    const policy = authorizer("", { hour: 9, policies });
    const { version: policyVersion } = policies;
    const grant = (intent: PlannedStatement["intent"]) =>
      policy.permit(AGENT, { dataSource: "shop", intent });
    expect(await grant("read_select")).toEqual({ policyVersion });
    expect(await grant("write_update")).toEqual({ rowsChangedMax: 100, policyVersion });
    expect(await grant("write_delete")).toEqual({ rowsChangedMax: 10, policyVersion });
    expect(await policy.looksAtData(AGENT)).toBe(false);
  });

  it("is held back by a policy on a role of the organization's own, however it is spelled, which permits nothing", async () => {
    const policy = authorizer(`
      @id("own") forbid (principal in Steward::Role::"night shift", action, resource);`);
    const agent = { ...AGENT, authenticatedBy: "apikey" } as const;
    const asked = (roles: readonly string[]) => policy.permit({ ...agent, roles }, read([]));
    expect(await asked(["agent", "day shift"])).toEqual(PERMITTED);
    await expect(asked(["agent", " Night Shift "])).rejects.toThrow("The policy own forbids");
    await expect(asked(["day shift"])).rejects.toThrow("the request has only the role day shift");
  });

  it("of a role that no policy knows runs on plain loopback only, as if there were no role", async () => {
    const known = authorizer(`
      @id("own") @approval("data owner")
      forbid (principal in Steward::Role::"night shift", action, resource)
      unless { context.approved };`);
    const asked = (role: string, authenticatedBy: Caller["authenticatedBy"]) =>
      known.permit({ ...NOBODY, kind: "person", roles: [role], authenticatedBy }, read([]));
    for (const role of ["user", "agnet", "user,admin", "day shift"]) {
      expect(await asked(role, "headers")).toEqual(PERMITTED);
      for (const vouchedBy of ["proxy", "jwt", "apikey", "mtls"] as const) {
        const meant = role === "agnet" ? " \\(did you mean agent\\?\\)" : ".*";
        await expect(asked(role, vouchedBy)).rejects.toThrow(
          new RegExp(
            `only the role ${role}, which no policy knows${meant}: .* one of these roles$`,
          ),
        );
      }
    }
    // The role counts as soon as a policy names it, and so does the role of an approver.
    await expect(asked("night shift", "headers")).rejects.toThrow(/only the role night shift$/);
    await expect(asked("Data Owner", "headers")).rejects.toThrow(/only the role data owner$/);
  });

  it("that needs persons runs when they have approved it, and never against another policy", async () => {
    const approval = `
      @id("two-eyes") @approval("the data owner")
      forbid (principal, action == Steward::Action::"write_delete", resource)
      unless { context.approved };`;
    const statement = { dataSource: "shop", intent: "write_delete" } as const;
    await expect(authorizer(approval).permit(AGENT, statement)).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
      message: expect.stringContaining("needs the approval of the data owner") as string,
      needed: { rules: [{ policyId: "two-eyes", role: "the data owner", approversMin: 1 }] },
    });
    const asked: NeededApproval[] = [];
    const isApproved = (needed: NeededApproval): boolean => asked.push(needed) > 0;
    expect(await authorizer(approval).permit(AGENT, statement, isApproved)).toEqual(PERMITTED);
    expect(asked.map(({ policyVersion }) => policyVersion)).toEqual([
      await authorizer(approval).versionFor(AGENT),
    ]);
    // An action that another policy forbids cannot be approved.
    const both = `${approval} @id("never") forbid (principal, action in Steward::Action::"writes", resource);`;
    await expect(authorizer(both).permit(AGENT, statement, isApproved)).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
  });

  it("is not put before persons when it would be forbidden even then, whoever asks", async () => {
    const approval = `@id("two-eyes") @approval("approver")
      forbid (principal, action in Steward::Action::"statements", resource)`;
    const deletes = { dataSource: "shop", intent: "write_delete" } as const;
    const blind = authorizer(`${approval};`);
    const despite = { code: "POLICY_DENIED", message: expect.stringContaining(DESPITE) as string };
    await expect(blind.permit(AGENT, deletes)).rejects.toMatchObject(despite);
    await expect(blind.permit(AGENT, deletes, () => true)).rejects.toMatchObject(despite);
    expect(await blind.permits(AGENT, deletes, () => true)).toBe(false);
    expect(await blind.decide(AGENT, deletes)).toMatchObject({
      ...{ verdict: "deny", reason: despite.message, policies: [{ id: "two-eyes" }] },
    });
    // Each kind of change that a statement makes needs its own right, not only the first one.
    const both = { ...deletes, kinds: ["write_delete", "admin"] } as const;
    await expect(
      authorizer(`${approval} unless { context.approved };`).permit(AGENT, both),
    ).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: expect.stringContaining("admin on shop needs the role") as string,
    });
  });

  it("needs every approval that a policy about it or about its data demands", async () => {
    const policy = authorizer(`
      @id("deletes") @approval("approver") @approvals_min("2")
      forbid (principal, action == Steward::Action::"write_delete", resource) unless { context.approved };
      @id("orders") @approval("data owner")
      forbid (principal, action, resource == Steward::Table::"shop/orders") unless { context.approved };
      @id("email") @approval("privacy")
      forbid (principal, action, resource == Steward::Column::"shop/orders/email") unless { context.approved };`);
    const orders = {
      name: "orders",
      accesses: { read: ["email"], delete: [] },
      columns: ["email"],
    };
    const touched = { tables: [orders], functions: [] };
    const statement = { dataSource: "shop", intent: "write_delete", touched } as const;
    await expect(policy.permit(AGENT, statement)).rejects.toMatchObject({
      needed: {
        rules: [
          { policyId: "deletes", role: "approver", approversMin: 2 },
          { policyId: "orders", role: "data owner", approversMin: 1 },
          { policyId: "email", role: "privacy", approversMin: 1 },
        ],
      },
    });
  });

  it("is explained with the policies that decide, for a permit, a denial, an approval and a limit", async () => {
    const policy = authorizer(`
      @id("two-eyes") @approval("the data owner")
      forbid (principal, action == Steward::Action::"write_delete", resource) unless { context.approved };
      @id("no-admin") @reason("Ask the schema team")
      forbid (principal, action == Steward::Action::"admin", resource);
      @id("few") @rows_changed_max("10")
      forbid (principal, action == Steward::Action::"write_update", resource)
      when { context.rowsChangedMax > 10 };`);
    const decide = (intent: Intent) => policy.decide(AGENT, { dataSource: "shop", intent });
    expect(await decide("read_select")).toMatchObject({ verdict: "permit" });
    expect((await decide("read_select")).policies.length).toBeGreaterThan(0);
    expect(await decide("write_delete")).toMatchObject({
      verdict: "approval",
      policies: [{ id: "two-eyes", approval: "the data owner" }],
    });
    expect(await decide("admin")).toEqual({
      verdict: "deny",
      reason: "Ask the schema team",
      policies: [{ id: "no-admin", reason: "Ask the schema team" }],
    });
    expect(await decide("write_update")).toMatchObject({ verdict: "permit", rowsChangedMax: 10 });
  });

  it("is decided by the hour and by its weight", async () => {
    const policy = authorizer(`
      @id("by-night") forbid (principal, action in Steward::Action::"statements", resource)
      when { context.hour >= 8 && context.aau > 1 };`);
    expect(await policy.permit(AGENT, read([]))).toEqual(PERMITTED);
    const write = { dataSource: "shop", intent: "write_insert" } as const;
    await expect(policy.permit(AGENT, write)).rejects.toThrow("by-night");
  });

  it("that was permitted is decided on anew at another hour, for another role and by changed policies", async () => {
    const own = `forbid (principal, action in Steward::Action::"statements", resource)
      when { context.hour >= 8 };`;
    const now = { hour: 7, policies: policiesWith(own) };
    const policy = authorizer(own, now);
    const asked = (roles = ["agent"]) => policy.permit({ ...AGENT, roles }, read(["orders"]));
    expect([await asked(), await asked()]).toEqual([PERMITTED, PERMITTED]);
    await expect(asked(["auditor"])).rejects.toMatchObject({ code: "POLICY_DENIED" });
    now.hour = 8;
    await expect(asked()).rejects.toMatchObject({ code: "POLICY_DENIED" });
    now.policies = policiesWith("");
    expect(await asked()).toEqual(PERMITTED);
    now.policies = policiesWith(
      `forbid (principal, action, resource == Steward::Table::"shop/orders");`,
    );
    await expect(asked()).rejects.toMatchObject({ code: "POLICY_DENIED" });
  });
});

describe("an operation that persons must approve", () => {
  const governed = (condition: string) => `@id("governed") @approval("approver")
    forbid (principal, action == Steward::Action::"memory:purge", resource) ${condition};`;
  const ADMIN = { ...NOBODY, kind: "person", userId: "ada", roles: ["admin"] } as const;

  it("is put before them only for callers who would be permitted with it", async () => {
    const policies = authorizer(governed("unless { context.approved }"));
    await expect(policies.authorize(ADMIN, "memory:purge")).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
    });
    await expect(policies.authorize(AGENT, "memory:purge")).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: expect.stringContaining("memory:purge needs the role") as string,
    });
    expect([
      await policies.mayDo(ADMIN, "memory:purge"),
      await policies.mayDo(AGENT, "memory:purge"),
    ]).toEqual([true, false]);
    expect(await policies.explain(AGENT, "memory:purge")).toMatchObject({
      refusal: { code: "POLICY_DENIED" },
    });
  });

  it("is not put before them when a policy forbids it even then", async () => {
    const despite = { code: "POLICY_DENIED", message: expect.stringContaining(DESPITE) as string };
    const late = governed("unless { context.approved && context.hour > 9 }");
    await expect(authorizer(late).authorize(ADMIN, "memory:purge")).rejects.toMatchObject(despite);
    const never = `${governed("unless { context.approved }")} @id("never") @reason("never")
      forbid (principal, action == Steward::Action::"memory:purge", resource) when { context.approved };`;
    await expect(authorizer(never).authorize(ADMIN, "memory:purge")).rejects.toMatchObject({
      ...{ code: "POLICY_DENIED", message: "never" },
    });
  });
});

describe("policies that forbid everything", () => {
  it("are taken back by an operator, who is held back by them in everything else, and by nobody else", async () => {
    const policy = authorizer('@id("all") forbid (principal, action, resource);');
    const asked = (role: string, action: Action) =>
      policy.authorize({ ...NOBODY, kind: "person", roles: [role] }, action);
    await asked("Operator", "policies:read");
    await asked("operator", "policies:write");
    await expect(asked("operator", "plans:read")).rejects.toThrow("The policy all forbids");
    await expect(asked("admin", "policies:write")).rejects.toThrow("The policy all forbids");
    const operator = { ...NOBODY, roles: ["operator"] };
    expect(await policy.explain(operator, "policies:write")).toMatchObject({ permitted: true });
  });
});

describe("a tool call", () => {
  const orders: RecordedData = {
    tables: [{ name: "public.orders", accesses: { read: ["id", "email"] } }],
    functions: ["public.total_of"],
  };
  const call = (said: Partial<ToolCallRecord> = {}): ToolCallRecord =>
    toolCallRecord({ dataSource: "shop", caller: AGENT, touched: orders, ...said });
  const remembered = (own: string, said?: Partial<ToolCallRecord>) =>
    authorizer(own).mayRemember(call(said));

  it("is remembered by the shipped policies, whoever had it run and even if nobody knows who", async () => {
    const callers = [AGENT, NOBODY, { ...AGENT, roles: [] }, undefined];
    for (const caller of callers) {
      expect(await remembered("", { caller, touched: undefined })).toBe(true);
    }
    expect(await remembered("", { dataSource: "" })).toBe(true);
  });

  it.each([
    ["the data source", 'resource in Steward::DataSource::"shop"', ""],
    ["a table", 'resource == Steward::Table::"shop/orders"', ""],
    ["a column", 'resource == Steward::Column::"shop/public.orders/email"', ""],
    ["a session", 'resource == Steward::MemorySession::"s"', ""],
    ["the tables", "resource", 'when { context.tables.contains("orders") }'],
    ["the columns", "resource", 'when { context.columns.contains("public.orders/email") }'],
    ["the functions", "resource", 'when { context.functions.contains("public.total_of") }'],
    ["the intent", "resource", 'when { context.intent == "read_select" }'],
  ])("is kept out by a policy on %s", async (_what, resource, condition) => {
    const policy = (action: string) =>
      `forbid (principal in Steward::Role::"agent", ${action}, ${resource}) ${condition};`;
    const record = policy('action == Steward::Action::"memory:record"');
    expect(await remembered(record)).toBe(false);
    expect(await remembered(record, { caller: { ...AGENT, roles: ["admin"] } })).toBe(true);
    const other = { touched: { tables: [], functions: [] }, dataSource: "hr", sessionId: "t" };
    expect(await remembered(record, { ...other, intent: "write_insert" })).toBe(true);
    const statements = policy('action in Steward::Action::"statements"');
    expect(await remembered(statements)).toBe(true);
  });

  it("is kept out of a provider on another machine only", async () => {
    const own = `forbid (principal, action in Steward::Action::"memory", resource)
      when { context.providerIsRemote };`;
    expect(await remembered(own)).toBe(true);
    expect(await authorizer(own, undefined, true).mayRemember(call())).toBe(false);
    await expect(
      authorizer(own, undefined, true).authorize(AGENT, "memory:read"),
    ).rejects.toThrow();
    await authorizer(own).authorize(AGENT, "memory:read");
  });

  it("is kept out while a policy asks for what nobody knows of it", async () => {
    const ofRole = `forbid (principal in Steward::Role::"agent", action == Steward::Action::"memory:record", resource);`;
    expect(await remembered(ofRole, { caller: undefined })).toBe(false);
    const ofTable = `forbid (principal, action in Steward::Action::"memory", resource == Steward::Table::"shop/salaries");`;
    expect(await remembered(ofTable, { touched: undefined })).toBe(false);
    expect(await remembered(ofTable)).toBe(true);
    const ofStatements = `forbid (principal, action in Steward::Action::"statements", resource == Steward::Table::"shop/salaries");`;
    expect(await remembered(ofStatements, { touched: undefined, caller: undefined })).toBe(true);
  });
});
