import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHere } from "../testing/run-here.js";
import { startSteward } from "../testing/steward-process.js";
import type { Ended, Running } from "../testing/steward-process.js";

const cwd = mkdtempSync(join(tmpdir(), "steward-plans-"));
let server: Running;
let url = "";

/** More than a server needs to start or stop on a busy machine, in ms. */
const START_MS = 30_000;

/** A server for these tests, on a free port, with the sample database. */
beforeAll(async () => {
  server = startSteward(["dev", "--port", "0", "--json"], { cwd });
  const ready = JSON.parse(await server.said("stdout", /\n/)) as { readonly rest: string };
  url = ready.rest;
}, START_MS);

afterAll(async () => {
  server.process.kill("SIGTERM");
  const { code } = await server.ended;
  rmSync(cwd, { recursive: true });
  expect(code).toBe(0);
}, START_MS);

function steward(args: readonly string[], input = ""): Promise<Ended> {
  return runHere(["plan", ...args], { cwd, env: { SERVICE_URL: url }, input });
}

function planOf(...statements: readonly string[]): string {
  const steps = statements.map((query_template, index) => ({
    id: `s${String(index)}`,
    query_template,
    depends_on: index === 0 ? [] : [`s${String(index - 1)}`],
  }));
  return JSON.stringify({ name: "A test", steps });
}

/** An endless statement. */
const ENDLESS =
  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

async function submit(plan: string): Promise<string> {
  const { code, stdout } = await steward(["submit", "-"], plan);
  expect(code).toBe(0);
  return stdout.trim();
}

describe("steward plan", () => {
  it("executes one step and shows its rows by pages", async () => {
    const numbers = "SELECT 11 AS n UNION ALL SELECT 22 UNION ALL SELECT 33";
    const planId = await submit(planOf(numbers, "SELECT nowhere"));
    const first = await steward(["execute", planId, "s0", "--max-rows", "2"]);
    expect(first.stdout).toMatch(/11\n.*22/);
    expect(first.stdout).not.toContain("33");
    expect(first.stderr).toContain(`steward plan execute ${planId} s0 --offset 2`);
    const rest = await steward(["execute", planId, "s0", "--offset", "2"]);
    expect(rest).toMatchObject({ code: 0, stdout: expect.stringContaining("33") as string });
    const failed = await steward(["execute", planId, "s1"]);
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).toContain(`steward plan revise ${planId} s1`);
    const limited = JSON.stringify({ steps: [{ id: "a", query_template: numbers, max_rows: 1 }] });
    const { stdout } = await steward(["run", "-", "--json"], limited);
    expect(JSON.parse(stdout).results).toEqual({ a: [{ n: 11 }, { n: 22 }, { n: 33 }] });
  });

  it("leaves a plan open that is to stay open, and finishes it", async () => {
    const file = `keep_open: true\nsteps: [{ id: a, query_template: "SELECT 20 AS n" }]`;
    const ran = await steward(["run", "-"], file);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("20") as string });
    const planId = /steward plan finish (\S+)/.exec(ran.stderr)?.[1] ?? "";
    expect((await steward(["get", planId])).stdout).toContain("awaiting_steps");
    const more = 'steps: [{ id: b, query_template: "SELECT 21 AS n" }]';
    expect((await steward(["append", planId, "-"], more)).code).toBe(0);
    const early = await steward(["finish", planId]);
    expect(early.code).not.toBe(0);
    expect(early.stderr).toContain("Step b of plan");
    expect((await steward(["run", planId])).code).toBe(0);
    expect(await steward(["finish", planId])).toMatchObject({ code: 0, stdout: "completed\n" });
    expect((await createClient({ baseUrl: url }).plans.getPlan({ plan_id: planId })).status).toBe(
      "completed",
    );
  });

  it("tells what a plan would do, and fails when a step may not run", async () => {
    const fine = await steward(["check", "-"], planOf("SELECT 1 AS n", "SELECT 2 AS n"));
    expect(fine.code).toBe(0);
    expect(fine.stdout).toMatch(/^STEP +VERDICT +INTENT/);
    expect(fine.stderr).toContain("permit: 2 AAU, $0; nothing was stored");
    const wrong = await steward(["check", "-"], planOf("SELECT n FROM nowhere"));
    expect(wrong.stdout).toContain("s0: the database would refuse it now: no such table: nowhere");
    const json = await steward(["check", "-", "--json"], planOf("SELECT 1 AS n"));
    expect(JSON.parse(json.stdout)).toMatchObject({
      verdict: "permit",
      steps: [{ step_id: "s0" }],
    });
  });

  it("submits a file, shows the plan, lists it and cancels it", async () => {
    const file = join(cwd, "plan.yaml");
    writeFileSync(
      file,
      "name: From a file\nsteps:\n  - { id: one, query_template: SELECT 1 AS n }\n",
    );
    const submitted = await steward(["submit", file, "--session", "s1"]);
    expect(submitted).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("steward plan run"),
    });
    const planId = submitted.stdout.trim();
    expect(planId).toMatch(/^[0-9a-f-]{36}$/);

    const got = await steward(["get", planId]);
    expect(got.code).toBe(0);
    expect(got.stdout).toMatch(/^From a file +· pending\n/);
    expect(got.stdout).toMatch(/^one +pending +0 +read_select/m);

    const listed = JSON.parse((await steward(["list", "--session", "s1", "--json"])).stdout);
    expect(listed.plans.map(({ plan_id }: { plan_id: string }) => plan_id)).toEqual([planId]);
    expect((await steward(["list", "--status", "pending"])).stdout).toContain(planId);

    expect(await steward(["cancel", planId])).toMatchObject({ code: 0, stdout: "cancelled\n" });
    const watched = await steward(["watch", planId]);
    expect(watched.code).toBe(1);
    expect(watched.stdout).toMatch(/#1 +PlanCreated/);
    expect(watched.stdout).toMatch(/PlanCancelled.*\n$/);
  });

  it("submits the same plan once under one idempotency key", async () => {
    const args = ["submit", "-", "--idempotency-key", "k1"];
    const first = await steward(args, planOf("SELECT 1"));
    expect((await steward(args, planOf("SELECT 1"))).stdout).toBe(first.stdout);
    const other = await steward([...args, "--json"], planOf("SELECT 2"));
    expect(other.code).toBe(1);
    expect(JSON.parse(other.stderr).code).toBe("IDEMPOTENCY_CONFLICT");
  });

  it("runs a plan from standard input, tells of each change and prints the result", async () => {
    const plan = planOf("SELECT 7 AS id", "SELECT {{step.s0.output[0].id}} + 1 AS next");
    const { code, stdout, stderr } = await steward(["run", "-"], plan);
    expect(stdout).toBe("s1\nnext\n   8\n");
    expect(stderr).toMatch(
      /^plan [0-9a-f-]{36} submitted\n▸ s0  running\n✔ s0  completed  1 row  \d+ ms\n▸ s1  running\n✔ s1  completed  1 row  \d+ ms\n$/,
    );
    expect(code).toBe(0);
  });

  it("runs what is left of a plan, and gives the result of one that is done again", async () => {
    const planId = await submit(planOf("SELECT 1 AS n"));
    const first = await steward(["run", planId, "--json"]);
    expect(JSON.parse(first.stdout)).toMatchObject({
      plan_id: planId,
      status: "completed",
      results: { s0: [{ n: 1 }] },
    });
    const again = await steward(["run", planId]);
    expect(again).toEqual({ code: 0, stdout: "s0\nn\n1\n", stderr: "" });
    const watched = await steward(["watch", planId, "--json"]);
    expect(watched.code).toBe(0);
    const events = watched.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.at(-1).event_type).toBe("PlanCompleted");
  });

  it("ends with 1 when a step fails, says why, and retries when told to", async () => {
    const planId = await submit(planOf("SELECT 1 AS n", "SELECT abs(-9223372036854775808) AS n"));
    const { code, stdout, stderr } = await steward(["run", planId]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/✖ s1  failed /);
    expect(stderr).toMatch(/error: The plan failed at step s1: .*integer overflow/);
    expect(stderr).toContain(`steward plan retry ${planId}`);
    // The reason comes last in a long line, and is not cut there.
    expect((await steward(["watch", planId])).stdout).toMatch(/error=\{.*integer overflow.*\}/);
    expect(await steward(["retry", planId])).toMatchObject({ code: 0, stdout: "running\n" });
    expect((await steward(["run", planId])).code).toBe(1);
  });

  it("passes on what the server says to mend a step that failed", async () => {
    const { code, stderr } = await steward(["run", "-"], planOf("SELECT nme FROM customers"));
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /error: The plan failed at step s0: no such column: nme.*\n +s0: .*name/,
    );
  });

  it("cancels the plan on Ctrl-C, and waits for its end", async () => {
    await using run = startSteward(["plan", "run", "-", "--json"], {
      cwd,
      env: { SERVICE_URL: url },
      input: planOf(ENDLESS, "SELECT 1"),
    });
    const submitted = await run.said("stderr", /plan \S+ submitted/);
    const planId = /plan (\S+) submitted/.exec(submitted)?.[1] ?? "";
    const { plans } = createClient({ baseUrl: url });
    await expect
      .poll(async () => (await plans.getPlan({ plan_id: planId })).steps[0]?.status)
      .toBe("running");
    run.process.kill("SIGINT");
    const { code, stdout, stderr } = await run.ended;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "cancelled",
      steps: [{ status: "cancelled" }, { status: "skipped" }],
    });
    expect(stderr).toContain('"code":"CANCELLED"');
  });

  it("ends with 1 and the server's reason when the server refuses", async () => {
    const { code, stdout, stderr } = await steward(["submit", "-", "--json"], '{"steps":[]}');
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({ code: "INVALID_PLAN", fix: expect.any(String) });
    const misspelt = await steward(["submit", "-"], '{"steps":[{"id":"a","query":"SELECT 1"}]}');
    expect(misspelt.stderr).toMatch(
      /^error: steps\[0\]\.query: unknown field; did you mean query_template\?$/m,
    );
    const unknown = await steward(["get", "00000000-0000-7000-8000-000000000000"]);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain("fix: `steward plan list` shows your plans");
  });

  it("leaves the fix to the message where one code stands for many mistakes", async () => {
    const { code, stderr } = await steward(["list", "--cursor", "nowhere"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: cursor: /);
    expect(stderr).not.toContain("fix:");
  });

  it("keeps organizations apart", async () => {
    const planId = await submit(planOf("SELECT 1"));
    const org = "11111111-1111-4111-8111-111111111111";
    expect((await steward(["get", planId, "--org", org])).code).toBe(1);
  });
});
