import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Plans, StewardError, type StewardClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import type { ProgramIdentity } from "../transport/in-process/index.js";
import { openApp, type App } from "./app.js";
import { toldRecord } from "./testing/told-record.js";

/**
 * The same cases over HTTP, from behind a trusted proxy, and in the process of the app: each in an organization of its
 * own on one app. What the callers get must be equal, but for ids, times, and the call that corrects a step.
 */
const directory = mkdtempSync(join(tmpdir(), "steward-in-process-"));
const DOORS = ["http", "program"] as const;
const ORGANIZATIONS = {
  http: "00000000-0000-4000-8000-00000000000a",
  program: "00000000-0000-4000-8000-00000000000b",
};

let app: App;
beforeAll(async () => {
  createSampleDatabase(join(directory, "shop.db"));
  app = await openApp({
    ...{ port: 0, log: silentLog, dataDir: directory },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    auth: { headers: { trustedProxies: ["127.0.0.1"], proxySecrets: [] } },
    dataSources: [
      {
        ...{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` },
        organizations: DOORS.map((door) => ({ orgId: ORGANIZATIONS[door] })),
      },
    ],
    tools: { strict: false, tools: [{ name: "sql", dataSource: "shop" }] },
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/** One way to the service, in its organization. */
class Door {
  readonly #way: (typeof DOORS)[number];

  constructor(way: (typeof DOORS)[number]) {
    this.#way = way;
  }

  as(who: ProgramIdentity): Plans {
    const identity = { orgId: ORGANIZATIONS[this.#way], ...who };
    return this.#way === "http" ? this.client(who).plans : app.as(identity).plans;
  }

  /** For the operations that have no calls in the process. */
  client(who: ProgramIdentity): StewardClient {
    const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
    return createClient({ baseUrl, maxRetries: 0, orgId: ORGANIZATIONS[this.#way], ...who });
  }

  get agent(): Plans {
    return this.as(AGENT);
  }

  get admin(): StewardClient {
    return this.client({ role: "admin", userId: "root" });
  }
}

const AGENT = { role: "agent", agentId: "bot", userId: "alice", sessionId: "s-1" };
const READ = { id: "a", query_template: "SELECT count(*) AS n FROM orders" };
const NEXT = {
  ...{ id: "b", query_template: "SELECT {{step.a.output[0].n}} AS m", depends_on: ["a"] },
};
const WRONG = { id: "a", query_template: "SELECT nosuch FROM orders" };

/** What came of it: the answer, or what an error tells. */
async function outcomes(...calls: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const call of calls) {
    try {
      all.push(await call());
    } catch (error) {
      if (!(error instanceof StewardError)) throw error;
      const { code, message, status, details } = error;
      all.push({ code, message, status, details });
    }
  }
  return all;
}

/** The outcomes without what differs from run to run. Ids are numbered in the order of their appearance. */
function comparable(value: unknown): unknown {
  const ids = new Map<string, string>();
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      const known = ids.get(id) ?? `id ${String(ids.size)}`;
      ids.set(id, known);
      return known;
    })
    .replaceAll(/[0-9a-f]{64}/g, "a digest")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time")
    .replaceAll(/(\\?"duration_ms\\?":)[\d.]+/g, "$10")
    .replaceAll(/(To correct step \w+, ).*? with a corrected/g, "$1call with a corrected")
    // In a URL every value is a text.
    .replaceAll(/not \\"(\d+)\\"/g, "not $1");
  return JSON.parse(text);
}

async function planWith(plans: Plans, ...steps: readonly object[]): Promise<string> {
  // Each step has an id and a statement.
  const plan = { name: "p", steps } as unknown as Parameters<Plans["submit"]>[0];
  return (await plans.submit(plan)).plan_id;
}

async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Calls on a plan that is there. */
async function onPlan(
  { agent }: Door,
  steps: readonly object[],
  calls: readonly ((plans: Plans, id: string) => Promise<unknown>)[],
): Promise<unknown[]> {
  const id = await planWith(agent, ...steps);
  return outcomes(...calls.map((call) => () => call(agent, id)));
}

const DELETES = `@id("two-eyes") @reason("Deletions are looked at") @approval("approver")
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };
  @id("no-updates") @reason("Orders are final")
  forbid (principal, action == Steward::Action::"write_update", resource);`;

/** Each case returns what is compared. */
const CASES: Readonly<Record<string, (door: Door) => Promise<unknown[]>>> = {
  "a plan from its submission to its end": (door) =>
    onPlan(
      door,
      [READ, NEXT],
      [
        (plans, id) => plans.getPlan({ plan_id: id }),
        (plans, id) => plans.execute(id, "b"),
        (plans, id) => plans.execute(id, "a"),
        (plans, id) => plans.execute(id, "a", { page: { max_rows: 1 } }),
        (plans, id) => plans.getStep({ plan_id: id, step_id: "a" }),
        (plans, id) => plans.run(id),
        (plans, id) => allOf(plans.watch(id)),
        (plans, id) => allOf(plans.watch(id, { afterSequence: 3 })),
        (plans, id) => plans.cancelPlan({ plan_id: id }),
      ],
    ),
  "a plan that changes under way": (door) =>
    onPlan(
      door,
      [WRONG],
      [
        (plans, id) => plans.execute(id, "a"),
        (plans, id) => plans.retryPlan({ plan_id: id }),
        (plans, id) => plans.reviseStep({ plan_id: id, step_id: "a", ...READ_AGAIN }),
        (plans, id) => plans.appendSteps({ plan_id: id, steps: [NEXT] }),
        (plans, id) => plans.appendSteps({ plan_id: id, steps: [NEXT] }),
        (plans, id) => plans.forkPlan({ plan_id: id, steps: [{ ...NEXT, id: "c" }] }),
        (plans, id) => plans.run(id),
        (plans, id) => plans.finishPlan({ plan_id: id }),
      ],
    ),
  "a plan that stays open": async ({ agent }) => {
    const { plan_id: id } = await agent.submit({ keep_open: true, steps: [READ] });
    return outcomes(
      () => agent.finishPlan({ plan_id: id }),
      () => agent.execute(id, "a"),
      () => agent.getPlan({ plan_id: id }),
      () => agent.finishPlan({ plan_id: id }),
      () => agent.finishPlan({ plan_id: id }),
    );
  },
  "a check, and lists": async ({ agent }) => {
    const ids = [await planWith(agent, READ), await planWith(agent, READ)];
    const page = await agent.listPlans({ limit: 1, session_id: "s-1" });
    return outcomes(
      () => agent.checkPlan({ steps: [READ, WRONG] }),
      () => Promise.resolve(page.plans.map(({ plan_id }) => ids.indexOf(plan_id))),
      () => agent.listPlans({ limit: 1, cursor: page.next_cursor ?? "" }),
      async () => (await allOf(agent.eachPlan({ limit: 1 }))).length,
      async () => (await allOf(agent.eachPlan())).length,
    );
  },
  "requests that are wrong": async (door) => {
    const { agent } = door;
    const id = await planWith(agent, READ);
    const [wrong, none] = [WRONG_REQUESTS, "0195a1c4-7d2e-7a10-9c3b-5f0e8d6a4b21"];
    return outcomes(
      ...wrong.map((plan) => () => agent.submit(plan as Parameters<Plans["submit"]>[0])),
      async () => {
        const tooLarge = { description: "x".repeat(5 * 1024 * 1024), steps: [READ] };
        return agent.submit(tooLarge).catch((error: unknown) => (error as StewardError).code);
      },
      () => agent.appendSteps({ plan_id: id, steps: [{ id: "", query_template: "SELECT 1" }] }),
      () => agent.appendSteps({ plan_id: id, steps: [NEXT], expected_revision: 7 }),
      () => agent.reviseStep({ plan_id: id, step_id: "a", ...({ query_templat: "x" } as object) }),
      () => agent.execute(id, "a", { page: { max_rows: 0 } }),
      () => agent.execute(id, "nosuch"),
      () => agent.execute("not an id", "a"),
      () => agent.getPlan({ plan_id: none }),
      () => agent.getStep({ plan_id: id, step_id: "nosuch" }),
      () => agent.listPlans({ limit: 0 }),
      () => agent.listPlans({ cursor: "x" }),
      () => allOf(agent.watch(none)),
      () => allOf(agent.watch(id, { afterSequence: 99 })),
      () => agent.submit({ steps: [READ] }, { idempotencyKey: "k".repeat(256) }),
    );
  },
  "members without a value": async ({ agent }) => {
    // Programs that do not compile with exactOptionalPropertyTypes may have them.
    const plan = { name: undefined, steps: [{ ...READ, intent: undefined }] } as object;
    const list = { limit: undefined, text: "nowhere" } as object;
    return outcomes(
      () => agent.submit(plan as Parameters<Plans["submit"]>[0]),
      () => agent.listPlans(list),
    );
  },
  "an idempotency key": async ({ agent }) => {
    const options = { idempotencyKey: "once" };
    const first = await agent.submit({ steps: [READ] }, options);
    return outcomes(
      async () => (await agent.submit({ steps: [READ] }, options)).plan_id === first.plan_id,
      () => agent.submit({ steps: [WRONG] }, options),
    );
  },
  "callers with an identity that is none": async (door) => {
    const withIdentity = (who: ProgramIdentity) => async () => door.as(who).listPlans();
    return outcomes(
      withIdentity({ ...AGENT, orgId: "nobody" }),
      withIdentity({ ...AGENT, role: "no role!" }),
      withIdentity({ ...AGENT, userId: "x".repeat(256) }),
    );
  },
  "callers who may not": async (door) => {
    const id = await planWith(door.agent, READ);
    const [auditor, other] = [
      { role: "auditor", userId: "eve" },
      { ...AGENT, userId: "bob" },
    ];
    const stranger = { ...AGENT, orgId: "00000000-0000-4000-8000-00000000000c" };
    return outcomes(
      () => door.as(auditor).submit({ steps: [READ] }),
      // The request of a caller who may not make it is not checked.
      () => door.as(auditor).submit({ steps: [] }),
      () => door.as(auditor).execute(id, "a"),
      () => door.as(other).execute(id, "a"),
      () => door.as(other).getPlan({ plan_id: id }),
      () => allOf(door.as(other).watch(id)),
      () => door.as(stranger).getPlan({ plan_id: id }),
      () => door.as(stranger).submit({ steps: [READ] }),
    );
  },
  "policies and approvals": async (door) => {
    const { version } = await door.admin.policies.getPolicies();
    await door.admin.policies.putPolicies({ text: DELETES, version });
    const { agent } = door;
    const remove = { id: "a", query_template: "DELETE FROM orders WHERE id = -1" };
    const id = await planWith(agent, remove);
    const refused = await outcomes(
      () => agent.submit({ steps: [{ id: "u", query_template: "UPDATE orders SET id = id" }] }),
      () => agent.execute(id, "a"),
    );
    const { approvals } = door.client({ role: "approver", userId: "bob" });
    const [waiting] = (await approvals.listApprovals({ plan_id: id })).approvals;
    await approvals.grantApproval({
      approval_id: waiting?.approval_id ?? "",
      digest: waiting?.digest ?? "",
    });
    return [...refused, ...(await outcomes(() => agent.execute(id, "a")))];
  },
  "approvals of operations": async (door) => {
    const { version } = await door.admin.policies.getPolicies();
    const text = `@id("cancels") @approval("approver")
      forbid (principal, action == Steward::Action::"plans:cancel", resource)
      unless { context.approved };`;
    await door.admin.policies.putPolicies({ text, version });
    const id = await planWith(door.agent, READ);
    const refused = await outcomes(() => door.agent.cancelPlan({ plan_id: id }));
    const { approvals } = door.client({ role: "approver", userId: "bob" });
    const waiting = (await approvals.listApprovals({ status: "pending" })).approvals;
    for (const { approval_id, digest } of waiting)
      await approvals.grantApproval({ approval_id, digest });
    const shown = waiting.map(({ subject }) => subject);
    return [shown, ...refused, ...(await outcomes(() => door.agent.cancelPlan({ plan_id: id })))];
  },
  budgets: async (door) => {
    const id = await planWith(door.agent, READ);
    const budget = { scope: "organization", unit: "aau", period: "total", limit: "0" } as const;
    await door.admin.billing.setBudget({ ...budget, action: "block" });
    return outcomes(() => door.agent.execute(id, "a"));
  },
};

const READ_AGAIN = { query_template: READ.query_template };
const WRONG_REQUESTS: readonly unknown[] = [
  undefined,
  {},
  [],
  { steps: [] },
  { steps: "all" },
  { steps: [{ ...READ, query: "x" }], nam: "x" },
  { steps: [{ ...READ, depends_on: ["b"] }, NEXT] },
  { steps: [{ ...READ, depends_on: "b" }] },
  { steps: [READ, READ] },
  { name: "a\u0000b", steps: [READ] },
  { steps: [{ id: "a", query_template: "SELECT {{step.x.output[0].n}}" }] },
];

describe("plans in the process of their app", () => {
  // In this order, because later cases change the organizations' policies and budgets.
  it.each(Object.entries(CASES))("are as over HTTP: %s", async (_name, run) => {
    const [http, program] = [await run(new Door("http")), await run(new Door("program"))];
    expect(comparable(program)).toEqual(comparable(http));
  });

  it("leave the same records and usage, in which the program has named the callers", async () => {
    const [http, program] = [new Door("http"), new Door("program")];
    const records = await recordsOf(http, { authenticatedBy: "proxy", peer: "127.0.0.1" });
    expect(records.length).toBeGreaterThan(30);
    const named = { authenticatedBy: "program", peer: "" };
    expect(await recordsOf(program, named)).toEqual(records);
    // Usage is derived from the records of tool calls, a moment later.
    await vi.waitFor(async () => {
      const [usage] = await program.admin.billing.getUsage();
      expect(usage?.total_aau).toBeGreaterThan(0);
      expect([usage]).toEqual(await http.admin.billing.getUsage());
    }, 60_000);
  });
});

/**
 * What the log tells of the agent's calls, without how they were made, which is asserted. Whether one tells several events of a plan depends on what was committed together.
 */
async function recordsOf(
  door: Door,
  { authenticatedBy, peer }: { readonly authenticatedBy: string; readonly peer: string },
) {
  const all = (await allOf(door.admin.audit.eachAuditRecord())).map(
    (each) => toldRecord(each) as ToldRecord,
  );
  const ofAgent = all.filter(({ by, request }) => by?.agent === "bot" && request !== undefined);
  const records = ofAgent.flatMap(({ by, request, detail, ...record }) => {
    expect(by).toMatchObject({ authenticated_by: authenticatedBy });
    expect(request).toMatchObject({ id: expect.any(String) as string, peer });
    const { events = [{}], ...others } = detail;
    return events.map((event) => {
      // The digest of the personal values, which the record is told with, is salted.
      const told = { ...record, personal: "", by: { ...by, authenticated_by: "" }, ...event };
      return JSON.stringify(event === events[0] && !("type" in event) ? { ...told, others } : told);
    });
  });
  return records.map((text) => JSON.stringify(comparable(text))).sort();
}

interface ToldRecord {
  readonly by?: { readonly agent?: string; readonly authenticated_by: string };
  readonly request?: object;
  readonly detail: { readonly events?: readonly object[] };
}
