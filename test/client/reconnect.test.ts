import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type PlanEvent } from "@steward/client";
import { openApp, type App } from "@steward/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/**
 * The client against a real server, which is stopped and restarted on the same port and store while
 * the client works.
 */
describe("the client and a server that restarts", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "steward-client-"));
    // For SQLite an empty file is an empty database.
    writeFileSync(join(folder, "empty.db"), "");
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function start(port: number): Promise<App> {
    return openApp({
      port,
      logLevel: "silent",
      databaseUrl: `sqlite:${join(folder, "steward.db")}`,
      dataSources: [{ name: "empty", url: `sqlite:${join(folder, "empty.db")}` }],
    });
  }

  const steps = [
    { id: "one", query_template: "SELECT 1 AS n" },
    {
      id: "two",
      query_template: "SELECT {{step.one.output[0].n}} + 1 AS n",
      depends_on: ["one"],
    },
  ];

  it("watches on across the restart, every event once, and runs the plan to its end", async () => {
    let app = await start(0);
    const { port } = app.address;
    const { plans } = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    const { plan_id: planId } = await plans.submit({ steps });
    const seen: PlanEvent[] = [];
    const watching = (async () => {
      for await (const event of plans.watch(planId)) seen.push(event);
    })();
    await plans.execute(planId, "one");
    await expect.poll(() => seen.length).toBe(4);

    await app[Symbol.asyncDispose]();
    const running = plans.run(planId);
    app = await start(port);
    expect((await running).status).toBe("completed");
    await watching;
    await app[Symbol.asyncDispose]();
    expect(seen.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(seen.at(-1)?.event_type).toBe("PlanCompleted");
  });

  it("makes one plan of a submit that is repeated, and one run of a step that is", async () => {
    await using app = await start(0);
    const { plans } = createClient({ baseUrl: `http://127.0.0.1:${app.address.port}` });
    const once = { idempotencyKey: "k" };
    const states = await Promise.all([
      plans.submit({ steps }, once),
      plans.submit({ steps }, once),
    ]);
    const [planId = ""] = new Set(states.map((state) => state.plan_id));
    expect((await plans.listPlans()).plans).toHaveLength(1);
    const answers = await Promise.all([plans.execute(planId, "one"), plans.execute(planId, "one")]);
    for (const { step_result: result } of answers) {
      expect(result).toMatchObject({ status: "completed", attempt: 1 });
    }
    expect((await plans.execute(planId, "one")).replayed).toBe(true);
  });

  it("tells the server's refusals by code, status and field", async () => {
    await using app = await start(0);
    const { plans } = createClient({ baseUrl: `http://127.0.0.1:${app.address.port}` });
    await expect(plans.submit({ steps: [{ id: "a", depends_on: ["b"] }] })).rejects.toMatchObject({
      code: "INVALID_PLAN",
      status: 400,
      details: expect.arrayContaining([
        expect.objectContaining({ field: "steps[0].depends_on[0]" }),
      ]),
    });
    const unknown = "00000000-0000-7000-8000-000000000000";
    await expect(plans.getPlan({ plan_id: unknown })).rejects.toMatchObject({
      code: "PLAN_NOT_FOUND",
      status: 404,
    });
  });
});
