import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../../adapters/sample-database/index.js";
import { openApp, type App } from "../../app/app.js";
import { runHere } from "../testing/run-here.js";
import { runSteward } from "../testing/steward-process.js";
import { approvalLines } from "./approval-lines.js";

/** One server, on which an agent's deletions wait for the approver who uses the commands. */
describe("steward approvals", () => {
  const directory = mkdtempSync(join(tmpdir(), "steward-approvals-cli-"));
  let app: App;
  beforeAll(async () => {
    createSampleDatabase(join(directory, "shop.db"));
    app = await openApp({
      ...{ port: 0, log: silentLog, dataDir: directory },
      databaseUrl: `sqlite:${join(directory, "store.db")}`,
      dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
    });
    await client("admin").policies.putPolicies({ version: 0, text: POLICY });
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  const url = () => `http://127.0.0.1:${String(app.address.port)}`;
  const client = (role: string) => createClient({ baseUrl: url(), role, userId: "alice" });
  const steward = (...args: readonly string[]) =>
    runHere(["approvals", ...args], { env: { SERVICE_URL: url() } });

  /** @returns the id of the approval that a step waits for. */
  const waiting = async (): Promise<string> => {
    const { plans, approvals } = client("agent");
    const steps = [{ id: "a", query_template: "DELETE FROM orders WHERE id = -1" }];
    const { plan_id } = await plans.submit({ name: "p", steps });
    await expect(plans.execute(plan_id, "a")).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
    const [approval] = (await approvals.listApprovals({ plan_id })).approvals;
    return approval?.approval_id ?? "";
  };

  it("lists what waits, shows what would run, and approves it by its digest", async () => {
    const id = await waiting();
    const listed = await steward("list", "--status", "pending");
    expect(listed.stdout).toMatch(new RegExp(`${id} +pending .* write_delete on shop`));
    const { stdout } = await steward("show", id);
    expect(stdout).toContain("DELETE FROM orders WHERE id = -1");
    expect(stdout).toContain("1 of the role approver (1 missing)  policy two-eyes: Looked at");
    expect(stdout).toContain("no preview: Only who can decide sees a preview.");
    const [, digest = ""] = /--digest ([0-9a-f]{64})$/m.exec(stdout) ?? [];
    expect(await steward("approve", id, "--digest", digest, "--user", "bob")).toMatchObject({
      ...{ code: 0, stdout: "approved\n" },
    });
    expect((await steward("list", "--status", "pending")).stderr).toContain("no approvals");
  });

  it("lists in columns of text where standard output is a pipe", async () => {
    const id = await waiting();
    const env = { SERVICE_URL: url() };
    const { code, stdout } = await runSteward(["approvals", "list"], { env });
    expect(code).toBe(0);
    const [titles = "", first = ""] = stdout.split("\n").map((line) => line.slice(0, 36));
    expect([titles.trimEnd(), first]).toEqual(["APPROVAL", id]);
  });

  it("shows no line of a statement as one of its own", async () => {
    const { plans, approvals } = client("agent");
    const forged = "1 of the role approver (met)";
    const query_template = `DELETE FROM orders\n-- \u202e\n/*\n${forged}\n*/\nWHERE id = -1`;
    const { plan_id } = await plans.submit({ name: "p", steps: [{ id: "a", query_template }] });
    await expect(plans.execute(plan_id, "a")).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
    const [approval] = (await approvals.listApprovals({ plan_id })).approvals;
    const { stdout } = await steward("show", approval?.approval_id ?? "");
    expect(stdout).toContain(`  | ${forged}`);
    expect(stdout).toContain("  | -- \\u{202e}");
    expect(stdout.split("\n")).not.toContain(forged);
  });

  it("shows what a write would change", async () => {
    const approval = await client("approver").approvals.getApproval({
      approval_id: await waiting(),
    });
    const changes = [
      { table: "orders", before: { id: 1, total: 5 }, after: { id: 1, total: 6 } },
      { table: "orders", after: { id: 2 } },
    ];
    const preview = {
      rows_changed: 3,
      changes,
      is_cut: true,
      notes: ["A note"],
      estimated_rows: 1,
    };
    const text = approvalLines({ ...approval, preview }).join("\n");
    expect(text).toContain(`would change 3 rows now
  orders
    - {"id":1,"total":5}
    + {"id":1,"total":6}
  orders
    + {"id":2}
  and more that are not shown
A note
the database's planner expects 1 row
`);
  });

  it("denies with a reason, and says why a decision is refused", async () => {
    const id = await waiting();
    const wrong = await steward("approve", id, "--digest", "00", "--user", "bob");
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("digest") as string });
    const { digest } = await client("approver").approvals.getApproval({ approval_id: id });
    const own = await steward("deny", id, "--digest", digest, "--user", "alice");
    expect(own.stderr).toContain("nobody decides about their own request");
    const denied = await steward("deny", id, "--digest", digest, "--user", "bob", "--reason", "no");
    expect(denied.stdout).toBe("denied\n");
    expect((await steward("show", id)).stdout).toContain("bob  deny: no");
  });

  it("is what steward plan run waits for, and goes on after", async () => {
    const { plans, approvals } = client("agent");
    const steps = [{ id: "a", query_template: "DELETE FROM orders WHERE id = -1" }];
    const { plan_id: planId } = await plans.submit({ name: "p", steps });
    const run = (...args: readonly string[]) =>
      runHere(["plan", "run", planId, "--user", "alice", ...args], { env: { SERVICE_URL: url() } });
    const running = run();
    const requested = async () => (await approvals.listApprovals({ plan_id: planId })).approvals;
    await expect.poll(requested).toHaveLength(1);
    // It joins the call of the command if that has no answer yet.
    await expect(plans.execute(planId, "a")).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
    for (const wait of [["--no-wait"], ["--wait", "0"]]) {
      const ended = await run(...wait);
      expect(ended).toMatchObject({ code: 1 });
      expect(ended.stderr).toContain(`after the decision: steward plan run ${planId}`);
    }
    expect(await run("--wait", "long")).toMatchObject({ code: 2 });
    const [{ approval_id: id, digest } = { approval_id: "", digest: "" }] = await requested();
    await steward("approve", id, "--digest", digest, "--user", "bob");
    const { code, stderr } = await running;
    expect(code).toBe(0);
    expect(stderr).toMatch(
      new RegExp(`a waits for an approval until .*: steward approvals show ${id}`),
    );
  });
});

const POLICY = `@id("two-eyes") @reason("Looked at") @approval("approver")
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;
