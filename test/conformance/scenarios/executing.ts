import { expect } from "vitest";
import { eventsOf, expectNotRun, rowsOf } from "../expectations.js";
import { LONG_TEXT, SLOW, scenario, scenarioIn, step, type Scenario } from "../scenario.js";

export const executing: readonly Scenario[] = [
  scenario(
    [
      "C1-one-by-one",
      "C1-context",
      "C2.4-fields",
      "C2.4-row-count",
      "C2.4-executed-at",
      "C2.5-fields",
      "C2.5-output",
      "C2.5-empty",
      "C4.1-execute",
      "C4.2-execute",
      "D5-rows",
    ],
    "a step that is executed comes back with its result and a context update",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [step("three", "SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3")],
      });
      const { step_result, llm_context_update, ...execution } = await client.execute(
        plan_id,
        "three",
      );
      expect(execution).toMatchObject({ success: true, error_message: "", replayed: false });
      expect(step_result).toMatchObject({
        step_id: "three",
        status: "completed",
        row_count: 3,
        executed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
      });
      expect(llm_context_update).toEqual({
        plan_id,
        step_id: "three",
        tool_output_json: '[{"n":1},{"n":2},{"n":3}]',
        schema_additions: [],
        augmentation_hints: [],
      });
    },
  ),
  scenario(
    ["D3-pending-running", "D3-completed", "C2.3-status", "C3-step", "D3-attempt"],
    "a plan runs with its first step and is completed with its last",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [step("a", "SELECT 1"), step("b", "SELECT 2", { depends_on: ["a"] })],
      });
      const stands = async () => {
        const { status, steps } = await client.getPlan(plan_id);
        return [status, ...steps.map((each) => `${each.status} ${each.attempt}`)];
      };
      expect(await stands()).toEqual(["pending", "pending 0", "pending 0"]);
      await rowsOf(client, plan_id, "a");
      expect(await stands()).toEqual(["running", "completed 1", "pending 0"]);
      await rowsOf(client, plan_id, "b");
      expect(await stands()).toEqual(["completed", "completed 1", "completed 1"]);
    },
  ),
  scenario(
    ["D3-dependencies", "D9-precondition", "C7-in-band"],
    "a step whose dependencies are not completed may not run",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [step("a", "SELECT 1"), step("b", "SELECT 2", { depends_on: ["a"] })],
      });
      const refused = await client.execute(plan_id, "b");
      expectNotRun(client.wire, refused, { code: "STEP_DEPENDENCIES_NOT_MET", rest: 409 });
      expect(refused.error_message).toContain("a");
      expect((await client.getPlan(plan_id)).status).toBe("pending");
    },
  ),
  scenario(
    ["D3-replay", "D3-replay-silent"],
    "a step that has completed gives its stored result and does nothing",
    async ({ client, steward }) => {
      const table = await steward.table("id INTEGER DEFAULT 1");
      const { plan_id } = await client.submit({
        steps: [step("write", `INSERT INTO ${table} DEFAULT VALUES RETURNING id`)],
      });
      const first = await client.execute(plan_id, "write");
      const second = await client.execute(plan_id, "write");
      expect(second).toEqual({ ...first, replayed: true });
      expect(await steward.rows(`SELECT id FROM ${table}`)).toEqual([{ id: 1 }]);
      expect(await eventsOf(client, plan_id)).toHaveLength(5);
    },
  ),
  scenario(
    ["D3-join"],
    "callers who ask for a running step share one attempt",
    async ({ client }) => {
      const { plan_id } = await client.submit({ steps: [step("slow", SLOW)] });
      const answers = await Promise.all([1, 2, 3].map(() => client.execute(plan_id, "slow")));
      for (const answer of answers) {
        expect(answer.step_result).toEqual(answers[0]?.step_result);
        expect(answer.step_result).toMatchObject({ status: "completed", attempt: 1 });
      }
    },
  ),
  scenario(
    ["D3-fail-fast", "D9-failed-step", "D9-hints", "C7-in-band", "D11-hints"],
    "a step that fails says why and how to repair it, and fails its plan",
    async ({ client, steward }) => {
      const table = await steward.table("id INTEGER, name TEXT");
      const { plan_id } = await client.submit({
        steps: [
          step("bad", `SELECT nme FROM ${table}`),
          step("next", "SELECT 1", { depends_on: ["bad"] }),
        ],
      });
      const failed = await client.execute(plan_id, "bad");
      expect(failed).toMatchObject({
        success: false,
        status: client.wire === "grpc" ? "OK" : "200",
        error_code: "STEP_FAILED",
        error_message: expect.stringContaining("nme"),
        step_result: { step_id: "bad", status: "failed" },
      });
      expect(failed.llm_context_update?.augmentation_hints.join(" ")).toMatch(/\bname\b/);
      const { status, steps } = await client.getPlan(plan_id);
      expect([status, ...steps.map((each) => each.status)]).toEqual([
        "failed",
        "failed",
        "skipped",
      ]);
    },
  ),
  scenario(
    ["D3-failed-again", "D3-over", "D9-precondition"],
    "of a failed plan, the failed step tells its failure again and a skipped one may not run",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [step("bad", "SELECT * FROM nowhere"), step("next", "SELECT 1")],
      });
      const first = await client.execute(plan_id, "bad");
      const second = await client.execute(plan_id, "bad");
      expect(second).toEqual({ ...first, replayed: true });
      const skipped = await client.execute(plan_id, "next");
      expectNotRun(client.wire, skipped, { code: "PLAN_NOT_ACTIVE", rest: 409 });
    },
  ),
  scenario(
    ["D9-not-found", "D9-step-not-found"],
    "what is not there is not found",
    async ({ client }) => {
      const unknown = "00000000-0000-7000-8000-000000000000";
      const noPlan = await client.execute(unknown, "a");
      expectNotRun(client.wire, noPlan, { code: "PLAN_NOT_FOUND", rest: 404 });
      const { plan_id } = await client.submit({ steps: [step("a", "SELECT 1")] });
      const noStep = await client.execute(plan_id, "b");
      expectNotRun(client.wire, noStep, { code: "STEP_NOT_FOUND", rest: 404 });
    },
  ),
  scenario(
    ["D1-default-source"],
    "a tool that nobody listed is SQL on the default data source",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [step("a", "SELECT 7 AS n", { tool_name: "whatever_the_agent_calls_it" })],
      });
      expect(await rowsOf(client, plan_id, "a")).toEqual([{ n: 7 }]);
    },
  ),
  scenarioIn(
    "PostgreSQL",
    ["D5-values"],
    "values of PostgreSQL's that JSON cannot hold are text",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [
          step(
            "a",
            "SELECT 9007199254740993 AS big, '\\x00ff10'::bytea AS bytes, timestamptz '2026-01-02 03:04:05+01' AS at, ARRAY[1, NULL] AS list, 'NaN'::float8 AS nan",
          ),
        ],
      });
      expect(await rowsOf(client, plan_id, "a")).toEqual([
        {
          big: "9007199254740993",
          bytes: "AP8Q",
          at: "2026-01-02T02:04:05Z",
          list: [1, null],
          nan: "NaN",
        },
      ]);
    },
  ),
  scenarioIn(
    "SQLite",
    ["D5-values"],
    "values that JSON cannot hold are text",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [
          step(
            "a",
            "SELECT 9007199254740993 AS big, 42 AS small, x'00ff10' AS bytes, NULL AS none",
          ),
        ],
      });
      expect(await rowsOf(client, plan_id, "a")).toEqual([
        { big: "9007199254740993", small: 42, bytes: "AP8Q", none: null },
      ]);
    },
  ),
  scenario(
    ["D4-limit-rows"],
    "a result of too many rows is cut, and says so",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [
          step(
            "many",
            "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 12345) SELECT n FROM c",
          ),
        ],
      });
      const { step_result, llm_context_update } = await client.execute(plan_id, "many");
      expect(step_result).toMatchObject({ status: "completed", row_count: 12345 });
      expect(JSON.parse(llm_context_update?.tool_output_json ?? "")).toHaveLength(10_000);
      expect(llm_context_update?.augmentation_hints.join(" ")).toMatch(/10 000 of 12 345/);
    },
  ),
  scenario(
    ["D4-limit-output"],
    "an output of too many bytes is cut, and says so",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [
          step(
            "wide",
            `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 30) SELECT ${LONG_TEXT} AS x FROM c`,
          ),
        ],
      });
      const { step_result, llm_context_update } = await client.execute(plan_id, "wide");
      expect(step_result).toMatchObject({ status: "completed", row_count: 30 });
      const output = llm_context_update?.tool_output_json ?? "";
      expect(Buffer.byteLength(output)).toBeLessThanOrEqual(2 * 1024 * 1024);
      expect(JSON.parse(output).length).toBeLessThan(30);
      expect(llm_context_update?.augmentation_hints.join(" ")).toMatch(/of 30 rows/);
    },
  ),
  scenario(
    ["D4-limit-columns", "D4-limit-rows-changed"],
    "a result of too many columns, and a write of too many rows, fail and say what to do",
    async ({ client, steward }) => {
      const table = await steward.table("n INTEGER");
      const columns = Array.from({ length: 1001 }, (_, n) => `${n} AS c${n}`).join();
      const rows =
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10001) SELECT n FROM c";
      for (const [sql, said] of [
        [`SELECT ${columns}`, /1001 columns; at most 1000/],
        [`INSERT INTO ${table} ${rows}`, /changed 10001 rows; at most 10000/],
      ] as const) {
        const { plan_id } = await client.submit({ steps: [step("a", sql)] });
        const { step_result } = await client.execute(plan_id, "a");
        expect(step_result).toMatchObject({ status: "failed", attempt: 1 });
        expect(step_result?.error?.message).toMatch(said);
      }
      const { plan_id } = await client.submit({ steps: [step("a", `SELECT n FROM ${table}`)] });
      expect(await rowsOf(client, plan_id, "a")).toEqual([]);
    },
  ),
  scenario(["D3-final"], "a completed plan stays completed", async ({ client }) => {
    const { plan_id } = await client.submit({ steps: [step("a", "SELECT 1")] });
    await rowsOf(client, plan_id, "a");
    await client.cancel(plan_id).catch(() => undefined);
    await client.retry(plan_id).catch(() => undefined);
    expect((await client.getPlan(plan_id)).status).toBe("completed");
  }),
];
