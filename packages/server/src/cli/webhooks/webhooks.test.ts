import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../../adapters/sample-database/index.js";
import { openApp, type App } from "../../app/app.js";
import { NEW_SECRET, Receiver } from "../../app/testing/webhook-receiver.js";
import { runHere } from "../testing/run-here.js";

/** A server with a target that refuses everything for good, and one that accepts everything. */
describe("steward webhooks", () => {
  const directory = mkdtempSync(join(tmpdir(), "steward-webhooks-cli-"));
  let app: App;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.listen();
    createSampleDatabase(join(directory, "shop.db"));
    app = await openApp({
      ...{ port: 0, log: silentLog, dataDir: directory },
      databaseUrl: `sqlite:${join(directory, "store.db")}`,
      dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
      tools: {
        strict: false,
        tools: [],
        webhooks: ["good", "gone"].map((n) => receiver.target(n)),
      },
    });
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  const url = () => `http://127.0.0.1:${String(app.address.port)}`;
  const steward = (...args: readonly string[]) =>
    runHere(["webhooks", ...args], { env: { SERVICE_URL: url() } });

  it("tests a target, and says what it answered", async () => {
    const good = await steward("test", "good");
    expect(good).toMatchObject({ code: 0 });
    expect(good.stdout).toMatch(/^accepted with 204 in \d+ ms\n$/);
    expect(JSON.parse(receiver.at("/good")[0]?.body ?? "")).toMatchObject({ type: "webhook.test" });
    const gone = await steward("test", "gone");
    expect(gone).toMatchObject({ code: 1 });
    expect(gone.stderr).toContain("gone did not accept the message: the target answered 410");
    const unknown = await steward("test", "nobody");
    expect(unknown.stderr).toContain("the tools file names good, gone");
    expect(gone.stderr + unknown.stderr).not.toContain(NEW_SECRET);
  });

  it("lists what failed for good, and sends it again when it is told what", async () => {
    expect((await steward("list")).stderr).toContain("every message was accepted");
    const { plans } = createClient({ baseUrl: url(), role: "agent" });
    const steps = [{ id: "a", query_template: "SELECT 1 AS n" }];
    const { plan_id: planId } = await plans.submit({ name: "p", steps });
    await plans.execute(planId, "a");
    const dead = async () => (await steward("list", "--status", "dead")).stdout;
    await expect.poll(dead).toContain(`msg_${planId}_`);
    expect(await dead()).toMatch(/gone +dead +plan\.completed +1 .* the target answered 410/);
    const vague = await steward("retry");
    expect(vague).toMatchObject({ code: 2 });
    expect(vague.stderr).toContain("--all");
    const asked = receiver.at("/gone").length;
    expect((await steward("retry", "--target", "gone")).stdout).toBe("1 sent again\n");
    await expect.poll(() => receiver.at("/gone").length).toBe(asked + 1);
    const ids = receiver
      .at("/gone")
      .slice(-2)
      .map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(1);
  });

  it("is for admins", async () => {
    const agent = createClient({ baseUrl: url(), role: "agent" });
    await expect(agent.webhooks.listWebhookDeliveries()).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
    await expect(agent.webhooks.retryWebhookDeliveries()).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
    await expect(agent.webhooks.testWebhook({ target: "good" })).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
  });
});
