import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { runHere } from "../testing/run-here.js";
import { runSteward, startSteward } from "../testing/steward-process.js";

const EXAMPLE = fileURLToPath(new URL("../../../examples/first-plan.json", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "steward-servers-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** An empty directory for each server. */
function directory(): string {
  return mkdtempSync(join(folder, "server-"));
}

describe("steward dev", () => {
  it("tells where everything is, and what it shows to try works when pasted", async () => {
    const cwd = directory();
    await using dev = startSteward(["dev", "--port", "0"], { cwd });
    const welcome = await dev.said("stdout", /Ctrl-C stops/);
    const url = /REST +(http:\S+)\/api\/plans/.exec(welcome)?.[1] ?? "";
    expect(welcome).toContain(join(".steward", "steward.db"));
    expect(welcome).toContain(
      "everything but billing, for callers on this machine who name no role",
    );

    expect(welcome).toContain(`claude mcp add --transport http steward ${url}/mcp`);
    expect(welcome).toContain(`{"mcpServers":{"steward":{"url":"${url}/mcp"}}}`);

    const run = /npx steward (plan run .*)/.exec(welcome)?.[1] ?? "";
    const ran = await runSteward(run.split(" "), { cwd });
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining("✔") });
    expect(run).toContain("examples/first-plan.json");
    expect(JSON.parse(readFileSync(EXAMPLE, "utf8")).steps.length).toBeGreaterThan(3);

    const body = /curl .* -d '(.*)'/.exec(welcome)?.[1] ?? "";
    const submitted = await fetch(`${url}/api/plans`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(submitted.status).toBe(201);
    dev.process.kill("SIGINT");
    expect((await dev.ended).code).toBe(0);
  });

  it("keeps its plans and its sample data from one start to the next, and ends with a stream open", async () => {
    const cwd = directory();
    const plan = '{"steps":[{"id":"a","query_template":"SELECT 1 AS n"}]}';
    await using first = startSteward(["dev", "--port", "0", "--json"], { cwd });
    const { rest } = JSON.parse(await first.said("stdout", /\n/));
    const { stdout } = await runHere(["plan", "submit", "-", "--server", rest], { input: plan });
    first.process.kill("SIGTERM");
    expect((await first.ended).code).toBe(0);

    await using second = startSteward(["dev", "--port", "0", "--json"], { cwd });
    const again = JSON.parse(await second.said("stdout", /\n/));
    const planId = stdout.trim();
    const run = await runHere(["plan", "run", planId, "--server", again.rest]);
    expect(run).toMatchObject({ code: 0, stdout: "a\nn\n1\n" });

    // An open event stream ends without an error when its server stops.
    const waiting = await runHere(["plan", "submit", "-", "--server", again.rest], { input: plan });
    const stream = await fetch(`${again.rest}/api/plans/${waiting.stdout.trim()}/events`);
    const text = stream.text();
    second.process.kill("SIGTERM");
    expect(await text).toContain("PlanCreated");
    expect((await second.ended).code).toBe(0);
  });
});

describe("a server that is to stop", () => {
  it("is not ready for the delay of the setting, in which it still takes requests", async () => {
    const env = { SERVICE_STOP_DELAY_MS: "60000" };
    await using dev = startSteward(["dev", "--port", "0", "--json"], { cwd: directory(), env });
    const { rest } = JSON.parse(await dev.said("stdout", /\n/));
    expect((await fetch(`${rest}/readyz`)).status).toBe(200);
    dev.process.kill("SIGTERM");
    await dev.said("stderr", /stopping/);
    const ready = await fetch(`${rest}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([
      503,
      expect.stringContaining("shutting down"),
    ]);
    expect((await fetch(`${rest}/api/plans`)).status).toBe(200);
  });

  it("answers a step that outlasts the drain with 503 and when to retry, says so, and ends with 0", async () => {
    await using dev = startSteward(["dev", "--port", "0", "--json"], { cwd: directory() });
    const { rest } = JSON.parse(await dev.said("stdout", /\n/));
    const endless =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c";
    const plan = JSON.stringify({ steps: [{ id: "a", query_template: endless }] });
    const { stdout } = await runHere(["plan", "submit", "-", "--server", rest], { input: plan });
    const step = `${rest}/api/plans/${stdout.trim()}/steps/a`;
    const executed = fetch(`${step}/execute`, { method: "POST" });
    await expect.poll(async () => (await fetch(step)).text()).toContain('"running"');
    dev.process.kill("SIGTERM");
    const response = await executed;
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    const { code, stderr } = await dev.ended;
    expect(code).toBe(0);
    expect(stderr).toContain("a step outlasted the shutdown and is stopped; it can run again");
  });
});

describe("steward serve", () => {
  it("without a database refuses every write, having warned of it", async () => {
    await using serve = startSteward(["serve", "--port", "0", "--json"], { cwd: directory() });
    const { rest } = JSON.parse(await serve.said("stdout", /\n/));
    const plan = '{"steps":[{"id":"a","query_template":"SELECT 1"}]}';
    const submitted = await runHere(["plan", "submit", "-", "--server", rest], { input: plan });
    expect(submitted.code).toBe(1);
    expect(submitted.stderr).toContain("set SERVICE_DATABASE_URL");
    serve.process.kill("SIGTERM");
    const { code, stderr } = await serve.ended;
    expect(code).toBe(0);
    expect(stderr).toContain("warning: no database: every write is refused");
  });

  it("says who is in the way when its port is taken, and doctor knows its own", async () => {
    await using first = startSteward(["serve", "--port", "0", "--json"], { cwd: directory() });
    const { rest } = JSON.parse(await first.said("stdout", /\n/));
    const { port } = new URL(rest);
    const second = await runSteward(["serve", "--port", port, "--json"]);
    expect(second.code).toBe(1);
    expect(JSON.parse(second.stderr.trim().split("\n").at(-1) ?? "")).toMatchObject({
      code: "EADDRINUSE",
      fix: expect.stringContaining("--port"),
    });
    const doctor = await runHere(["doctor", "--port", port], { cwd: directory() });
    expect(doctor.stdout).toContain(`a Steward server answers on 127.0.0.1:${port}`);
    first.process.kill("SIGTERM");
    await first.ended;
  });

  it("does not start beyond loopback while it believes anybody's headers", async () => {
    const { code, stdout, stderr } = await runHere(["serve", "--host", "0.0.0.0"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/SERVICE_HOST: 0\.0\.0\.0 can be reached from other machines/);
    expect(stderr).toContain("SERVICE_TRUSTED_PROXIES");
  });

  it("does not start on a data source that is not there", async () => {
    const env = { SERVICE_DATA_SOURCES: "a=gone.db,b=lost.db" };
    const { code, stderr } = await runHere(["serve", "--port", "0"], { cwd: directory(), env });
    expect(code).toBe(2);
    expect(stderr).toContain("data source a: the file gone.db does not exist");
    expect(stderr).toContain("lost.db");
  });

  it("names every wrong setting at once and ends with 2", async () => {
    const { code, stderr } = await runHere(["serve", "--port", "x"], {
      env: { SERVICE_LOG_LEVEL: "y" },
    });
    expect(code).toBe(2);
    expect(stderr).toContain("SERVICE_PORT: unknown value");
    expect(stderr).toContain("SERVICE_LOG_LEVEL: unknown value");
  });
});
