import { createClient, type StewardClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { BareClient, type Message } from "../transport/grpc/testing/bare-client.js";
import { openTwoSources, type TwoSources } from "./testing/two-sources.js";

/**
 * An admin writes values into a column that others may not read, as literals of the statements. Every answer that
 * shows statements is searched for the values. Half of the statements ran before the policies, when nothing was
 * recorded of the columns that they touched.
 */
const SCHEMA = `CREATE TABLE people (id integer PRIMARY KEY, name text, email text);
  INSERT INTO people VALUES (1, 'a', 'x'), (2, 'b', 'y');`;
const SECRET = "TOPSECRET";
const PLAIN = "PLAINNAME";

/** Statements that write a secret, by what they are. */
const SECRET_WRITES: Readonly<Record<string, (id: number) => string>> = {
  insert: (id) => `INSERT INTO people (id, email) VALUES (${id}, '${SECRET}')`,
  "insert without names": (id) => `INSERT INTO people VALUES (${id}, 'n', '${SECRET}')`,
  update: () => `UPDATE people SET email = '${SECRET}' WHERE id = 2`,
  upsert: () =>
    `INSERT INTO people (id, name) VALUES (2, 'n') ON CONFLICT (id) DO UPDATE SET email = '${SECRET}'`,
  "failed insert": () => `INSERT INTO people (id, email) VALUES (1, '${SECRET}')`,
};
/** A write of a column that everybody may read. */
const PLAIN_WRITE = `UPDATE people SET name = '${PLAIN}' WHERE id = 2`;

/** `robot` may not use the column, `clerk` may write it and not read it. */
const POLICY = ["sqlite/people", "postgres/people"]
  .map(
    (table, index) => `@id("robot-${index}") @reason("Addresses are private")
      forbid (principal in Steward::Role::"agent", action, resource == Steward::Column::"${table}/email");
    @id("clerk-${index}") @reason("Addresses are private")
      forbid (principal == Steward::Person::"clerk", action == Steward::Action::"read_select",
        resource == Steward::Column::"${table}/email");`,
  )
  .join("\n");
const ROLES: Readonly<Record<string, string>> = { robot: "agent", clerk: "admin", root: "admin" };

let steward: TwoSources;
let grpc: BareClient;
beforeAll(async () => {
  steward = await openTwoSources(
    { both: SCHEMA },
    {
      tools: {
        strict: true,
        tools: ["sqlite", "postgres"].map((name) => ({ name, dataSource: name })),
      },
    },
  );
  grpc = new BareClient(steward.port);
});
afterAll(async () => {
  grpc.close();
  await steward[Symbol.asyncDispose]();
});

describe.each(["sqlite", "postgres"])("a statement that has written on %s", (source) => {
  const orgId = crypto.randomUUID();
  /** The plans of the writes of secrets, with what they returned. */
  const ran = new Map<string, string>();
  let nextId = 100;

  const headersOf = (user: string) => ({
    ...{ "x-org-id": orgId, "x-user-role": ROLES[user] ?? "", "x-user-id": user },
  });
  const as = (user: string): StewardClient =>
    createClient({
      baseUrl: steward.baseUrl,
      ...{ headers: headersOf(user), maxRetries: 0 },
    });
  const run = async (query_template: string): Promise<string> => {
    const { plans } = as("root");
    const steps = [{ id: "a", tool_name: source, query_template }];
    const { plan_id } = await plans.submit({ name: "p", steps });
    await plans.execute(plan_id, "a");
    return plan_id;
  };
  const runAll = async (when: string): Promise<void> => {
    for (const [name, write] of Object.entries(SECRET_WRITES)) {
      ran.set(`${name} ${when}`, await run(write(nextId++)));
    }
    await run(PLAIN_WRITE);
  };
  const rpc = async (method: string, request: Message, user: string): Promise<unknown> =>
    grpc.call(method, request, { metadata: headersOf(user) });

  const query = "people email";
  const SHOWN: Readonly<Record<string, (user: string) => Promise<unknown>>> = {
    "REST searchMemory": (user) => as(user).memory.searchMemory({ query, top_k: 100 }),
    "REST listMemoryEntries": (user) => as(user).memory.listMemoryEntries({ limit: 200 }),
    "gRPC SearchMemory": (user) => rpc("SearchMemory", { query, top_k: 100 }, user),
    "gRPC ListMemoryEntries": (user) => rpc("ListMemoryEntries", { limit: 200 }, user),
  };

  beforeAll(async () => {
    const remembered = (): Promise<void> =>
      vi.waitFor(async () => {
        expect(await as("root").memory.getMemoryStats()).toMatchObject({ waiting_calls: 0 });
      }, 60_000);
    await runAll("before the policies");
    // Under the policies, a call of which nothing is known would not be remembered.
    await remembered();
    await as("root").policies.putPolicies({ version: 0, text: POLICY });
    await runAll("under the policies");
    await remembered();
  });

  it.each(Object.keys(SHOWN))(
    "is shown by %s to those who may read what it wrote",
    async (operation) => {
      const ask = SHOWN[operation] ?? (() => Promise.resolve());
      expect(JSON.stringify(await ask("root"))).toContain(SECRET);
      for (const user of ["robot", "clerk"]) {
        const answer = JSON.stringify(await ask(user));
        expect(answer).not.toContain(SECRET);
        expect(answer).toContain(PLAIN);
      }
    },
  );

  it("is in an entry of the memory that only they get by its id", async () => {
    const { entries } = await as("root").memory.listMemoryEntries({ limit: 200 });
    const secret = entries.filter(({ content }) => content.includes(SECRET));
    expect(secret).toHaveLength(ran.size);
    for (const { entry_id } of secret) {
      for (const user of ["robot", "clerk"]) {
        await expect(as(user).memory.getMemoryEntry({ entry_id })).rejects.toMatchObject({
          code: "POLICY_DENIED",
        });
        await expect(rpc("GetMemoryEntry", { entry_id }, user)).rejects.toThrow();
      }
    }
  });

  it("is shown with its step to its writer and those who may read what it wrote, also before it runs", async () => {
    const submitted = async (query_template: string): Promise<string> => {
      const steps = [{ id: "a", tool_name: source, query_template }];
      return (await as("root").plans.submit({ name: "p", steps })).plan_id;
    };
    const pending = await submitted(
      `INSERT INTO people VALUES (${String(nextId++)}, 'n', '${SECRET}')`,
    );
    for (const plan_id of [...ran.values(), pending]) {
      const shown = await as("root").plans.getStep({ plan_id, step_id: "a" });
      expect(JSON.stringify(shown)).toContain(SECRET);
      const asked = as("clerk").plans.getStep({ plan_id, step_id: "a" });
      await expect(asked).rejects.toMatchObject({ code: "POLICY_DENIED" });
      await expect(rpc("GetStep", { plan_id, step_id: "a" }, "clerk")).rejects.toThrow();
      const plan = await as("clerk").plans.getPlan({ plan_id });
      expect(JSON.stringify(plan)).not.toContain(SECRET);
    }
    const plain = await submitted(PLAIN_WRITE);
    const shown = await as("clerk").plans.getStep({ plan_id: plain, step_id: "a" });
    expect(JSON.stringify(shown)).toContain(PLAIN);
    const own = as("clerk").plans;
    const steps = [
      { id: "a", tool_name: source, query_template: `UPDATE people SET email = '${SECRET}'` },
    ];
    const { plan_id } = await own.submit({ name: "p", steps });
    expect(JSON.stringify(await own.getStep({ plan_id, step_id: "a" }))).toContain(SECRET);
  });

  it("gives its result as before to those who may read what it has read", async () => {
    const planId = ran.get("update under the policies") ?? "";
    for (const user of ["robot", "clerk", "root"]) {
      expect(await as(user).plans.execute(planId, "a")).toMatchObject({
        ...{ replayed: true, step_result: { status: "completed", row_count: 1 } },
      });
    }
  });
});
