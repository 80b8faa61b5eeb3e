import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createClient } from "./client.js";
import type { Plan, PlanStep, StepStatus } from "./index.js";
import { json, scriptedServer } from "./testing/scripted-server.js";
import type { Answer } from "./testing/scripted-server.js";

interface Scene {
  /** Step id → ids it depends on. */
  readonly steps: Readonly<Record<string, readonly string[]>>;
  readonly completed?: readonly string[];
  /** Step that runs and fails. */
  readonly fails?: string;
  /** Another client cancels the plan before this step. */
  readonly cancelledAt?: string;
  /** No step ends before so many have begun. */
  readonly together?: number;
}

/**
 * A server that runs one plan, and records the order of the steps and how many run concurrently.
 */
function planServer(scene: Scene): { answer: Answer; order: string[]; mostAtOnce: () => number } {
  const status = new Map<string, StepStatus>();
  for (const id of Object.keys(scene.steps)) {
    status.set(id, scene.completed?.includes(id) === true ? "completed" : "pending");
  }
  const order: string[] = [];
  let [atOnce, most, over] = [0, 0, ""];
  const held: (() => void)[] = [];
  const answer: Answer = ({ method, url }, response) => {
    const stepId = /steps\/([^/]+)\/execute$/.exec(url)?.[1];
    if (method === "GET" || stepId === undefined) {
      json(response, 200, { data: plan(scene, status, over) });
      return;
    }
    if (stepId === scene.cancelledAt) over = "cancelled";
    if (over !== "") {
      json(response, 409, { error: "The plan is over", code: "PLAN_NOT_ACTIVE" });
      return;
    }
    if (!(scene.steps[stepId] ?? []).every((id) => status.get(id) === "completed")) {
      json(response, 409, { error: "Not yet", code: "STEP_DEPENDENCIES_NOT_MET" });
      return;
    }
    order.push(stepId);
    most = Math.max(most, (atOnce += 1));
    held.push(() => {
      atOnce -= 1;
      const result = stepId === scene.fails ? "failed" : "completed";
      if (result === "failed") over = "failed";
      status.set(stepId, result);
      json(response, 200, { data: { step_result: { step_id: stepId, status: result } } });
    });
    if (order.length < (scene.together ?? 1)) return;
    for (const end of held.splice(0)) setTimeout(end, 2);
  };
  return { answer, order, mostAtOnce: () => most };
}

function plan(scene: Scene, status: ReadonlyMap<string, StepStatus>, over: string): Partial<Plan> {
  const steps = Object.entries(scene.steps).map(([id, dependsOn]): Partial<PlanStep> => ({
    step_id: id,
    depends_on: dependsOn,
    status: status.get(id) ?? "pending",
  }));
  const done = steps.every((step) => step.status === "completed");
  const now = done ? "completed" : over === "" ? "running" : over;
  // The fields that the runner reads; others do not matter here.
  return { plan_id: "p", status: now, steps } as Partial<Plan>;
}

describe("running a plan", () => {
  it("executes each step after those it depends on, and returns the plan as it ends", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat({ max: 5 }), { maxLength: 3 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 3 }),
        async (dependencies, concurrency) => {
          const steps = Object.fromEntries(
            dependencies.map((list, index) => [
              `s${String(index)}`,
              [
                ...new Set(
                  list.filter((other) => other < index).map((other) => `s${String(other)}`),
                ),
              ],
            ]),
          );
          const { answer, order, mostAtOnce } = planServer({ steps });
          await using server = await scriptedServer(answer);
          const { plans } = createClient({ baseUrl: server.url });
          const finished = await plans.run("p", { concurrency });
          expect(finished.status).toBe("completed");
          expect([...order].sort()).toEqual(Object.keys(steps).sort());
          expect(mostAtOnce()).toBeLessThanOrEqual(concurrency);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("runs independent steps at the same time, and tells of each", async () => {
    const { answer, mostAtOnce } = planServer({
      steps: { a: [], b: [], c: [], d: ["a", "b", "c"] },
      together: 3,
    });
    await using server = await scriptedServer(answer);
    const told: string[] = [];
    await createClient({ baseUrl: server.url }).plans.run("p", {
      onProgress: ({ stepId, kind }) => told.push(`${stepId} ${kind}`),
    });
    expect(mostAtOnce()).toBe(3);
    expect(told.slice(0, 3)).toEqual(["a started", "b started", "c started"]);
    expect(told.slice(6)).toEqual(["d started", "d finished"]);
  });

  it("runs only what is left", async () => {
    const { answer, order } = planServer({ steps: { a: [], b: ["a"] }, completed: ["a"] });
    await using server = await scriptedServer(answer);
    await createClient({ baseUrl: server.url }).plans.run("p");
    expect(order).toEqual(["b"]);
  });

  it("starts nothing more once a step has failed", async () => {
    const { answer, order } = planServer({ steps: { a: [], b: ["a"], c: ["b"] }, fails: "a" });
    await using server = await scriptedServer(answer);
    expect(await createClient({ baseUrl: server.url }).plans.run("p")).toMatchObject({
      status: "failed",
    });
    expect(order).toEqual(["a"]);
  });

  it("ends when somebody else ends the plan", async () => {
    const { answer, order } = planServer({ steps: { a: [], b: ["a"] }, cancelledAt: "b" });
    await using server = await scriptedServer(answer);
    expect(await createClient({ baseUrl: server.url }).plans.run("p")).toMatchObject({
      status: "cancelled",
    });
    expect(order).toEqual(["a"]);
  });

  it("rejects with what a step was refused for, after the others have settled", async () => {
    await using server = await scriptedServer(({ method }, response) => {
      if (method === "GET")
        json(response, 200, { data: plan({ steps: { a: [] } }, new Map(), "") });
      else json(response, 403, { error: "Not allowed", code: "POLICY_DENIED" });
    });
    const run = createClient({ baseUrl: server.url }).plans.run("p");
    await expect(run).rejects.toMatchObject({ code: "POLICY_DENIED" });
  });
});
