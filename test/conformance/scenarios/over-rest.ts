import { EventSource } from "eventsource";
import { expect } from "vitest";
import { rowsOf } from "../expectations.js";
import { scenarioOver, step, type Scenario } from "../scenario.js";

const PLAN = { session_id: "s", name: "n", description: "d", steps: [step("a", "SELECT 1 AS n")] };
const JSON_TYPE = { "content-type": "application/json" };

/** The shape of every refusal. */
const refusal = (code: string) => ({
  error: expect.stringMatching(/\S/) as string,
  code,
});

const overRestAs = (cites: Scenario["cites"], title: string, run: Scenario["run"]): Scenario =>
  scenarioOver("rest", cites, title, run);

/** Features of HTTP only: paths, statuses, headers and shapes of bodies. */
export const overRest: readonly Scenario[] = [
  overRestAs(
    ["C2.2-rest-id", "C4-json", "C4-data", "C4.2-submit", "D9-created"],
    "a plan is created by the contract's body, 201, with its place",
    async ({ steward }) => {
      const response = await fetch(`${steward.url}/api/plans`, {
        method: "POST",
        headers: JSON_TYPE,
        body: JSON.stringify(PLAN),
      });
      expect(response.status).toBe(201);
      expect(response.headers.get("content-type")).toMatch(/^application\/json\b/);
      const body = (await response.json()) as { data: { plan_id: string } };
      expect(body).toEqual({ data: { plan_id: expect.any(String), status: "pending" } });
      const location = response.headers.get("location") ?? "";
      expect(new URL(location, steward.url).pathname).toBe(`/api/plans/${body.data.plan_id}`);
    },
  ),
  overRestAs(
    ["C4-data", "C4.2-get", "C4.2-execute", "C4.2-cancel", "D9-cancel"],
    "every answer is an object whose one key is data",
    async ({ steward, client }) => {
      const { plan_id } = await client.as({ "x-org-id": "" }).submit(PLAN);
      const ask = async (method: string, path: string) => {
        const response = await fetch(`${steward.url}/api/plans/${plan_id}${path}`, { method });
        expect(response.status).toBe(200);
        const body = (await response.json()) as { data: object };
        expect(Object.keys(body)).toEqual(["data"]);
        return body.data;
      };
      expect(await ask("GET", "")).toMatchObject({ plan_id, status: "pending" });
      expect(await ask("POST", "/steps/a/execute")).toMatchObject({
        step_result: { step_id: "a", status: "completed" },
        llm_context_update: { plan_id, step_id: "a" },
      });
      const { plan_id: other } = await client.as({ "x-org-id": "" }).submit(PLAN);
      const cancelled = await fetch(`${steward.url}/api/plans/${other}`, { method: "DELETE" });
      expect(cancelled.status).toBe(200);
      expect(await cancelled.json()).toEqual({ data: { plan_id: other, status: "cancelled" } });
    },
  ),
  overRestAs(
    ["D9-body", "D9-malformed"],
    "malformed JSON and wrong types are refused by field",
    async ({ steward }) => {
      const post = async (body: string) => {
        const response = await fetch(`${steward.url}/api/plans`, {
          method: "POST",
          headers: JSON_TYPE,
          body,
        });
        expect(response.status).toBe(400);
        return (await response.json()) as { details?: { field: string }[] };
      };
      expect(await post('{"steps": [')).toMatchObject(refusal("INVALID_ARGUMENT"));
      expect(await post("[]")).toMatchObject(refusal("INVALID_PLAN"));
      const wrong = await post('{"name": 7, "steps": [{"id": "a", "depends_on": "b"}]}');
      expect(wrong).toMatchObject(refusal("INVALID_PLAN"));
      expect(wrong.details?.map(({ field }) => field)).toEqual(
        expect.arrayContaining(["name", "steps[0].depends_on"]),
      );
      expect(await post('{"name": "no steps at all"}')).toMatchObject({
        details: [{ field: "steps", reason: expect.stringMatching(/\S/) }],
      });
    },
  ),
  overRestAs(
    ["D9-unknown-path", "D9-body"],
    "an unknown path and a wrong method are refused in the shape of an error",
    async ({ steward }) => {
      const lost = await fetch(`${steward.url}/api/nowhere`);
      expect([lost.status, await lost.json()]).toEqual([404, refusal("NOT_FOUND")]);
      for (const method of ["DELETE", "PROPFIND"]) {
        const wrong = await fetch(`${steward.url}/api/plans`, { method });
        expect([wrong.status, await wrong.json()]).toEqual([405, refusal("METHOD_NOT_ALLOWED")]);
        expect(wrong.headers.get("allow")).toMatch(/POST/);
      }
    },
  ),
  overRestAs(
    ["D4-unknown-field"],
    "an unknown field is refused with the one that was meant",
    async ({ steward }) => {
      const response = await fetch(`${steward.url}/api/plans`, {
        method: "POST",
        headers: JSON_TYPE,
        body: JSON.stringify({ steps: [{ step_id: "a", query_template: "SELECT 1" }] }),
      });
      expect([response.status, await response.json()]).toEqual([
        400,
        {
          ...refusal("INVALID_PLAN"),
          details: expect.arrayContaining([
            { field: "steps[0].step_id", reason: "unknown field; did you mean id?" },
          ]),
        },
      ]);
      const query = await fetch(`${steward.url}/api/plans?statis=running`);
      const refused = (await query.json()) as { readonly error: string };
      expect([query.status, refused.error]).toEqual([
        400,
        "statis: unknown field; did you mean status?",
      ]);
    },
  ),
  overRestAs(["D9-index"], "the address alone leads on", async ({ steward }) => {
    const response = await fetch(steward.url);
    const { data } = (await response.json()) as { data: { links: Record<string, string> } };
    expect(Object.keys(data.links)).toEqual(expect.arrayContaining(["docs", "health", "metrics"]));
    for (const path of Object.values(data.links)) {
      expect((await fetch(`${steward.url}${path}`)).status).toBe(200);
    }
  }),
  overRestAs(
    ["D4-limit-request", "D9-too-large"],
    "a body over 4 MiB is not read",
    async ({ steward }) => {
      const response = await fetch(`${steward.url}/api/plans`, {
        method: "POST",
        headers: JSON_TYPE,
        body: JSON.stringify({ ...PLAN, description: "x".repeat(4 * 1024 * 1024) }),
      });
      expect([response.status, await response.json()]).toEqual([413, refusal("LIMIT_EXCEEDED")]);
    },
  ),
  overRestAs(
    ["D6-sse", "D6-last-event-id"],
    "a browser follows a plan, and resumes where it was",
    async ({ steward, client }) => {
      const nil = client.as({ "x-org-id": "" });
      const { plan_id } = await nil.submit(PLAN);
      await rowsOf(nil, plan_id, "a");
      const response = await fetch(`${steward.url}/api/plans/${plan_id}/events`, {
        headers: { "last-event-id": "4" },
      });
      expect(response.headers.get("content-type")).toMatch(/^text\/event-stream\b/);
      expect([...(await response.text()).matchAll(/^id: ?(\d+)$/gm)].map(([, id]) => id)).toEqual([
        "5",
      ]);
      const source = new EventSource(`${steward.url}/api/plans/${plan_id}/events`);
      try {
        const ids = await new Promise<readonly string[]>((resolve) => {
          const seen: string[] = [];
          const note = ({ lastEventId, data }: { lastEventId: string; data: string }) => {
            seen.push(lastEventId);
            if (JSON.parse(data).event_type === "PlanCompleted") resolve(seen);
          };
          source.addEventListener("message", note);
          for (const type of ["PlanCreated", "PlanStarted", "PlanStepStarted", "PlanStepExecuted"])
            source.addEventListener(type, note);
          source.addEventListener("PlanCompleted", note);
        });
        expect(ids).toEqual(["1", "2", "3", "4", "5"]);
      } finally {
        source.close();
      }
    },
  ),
];
