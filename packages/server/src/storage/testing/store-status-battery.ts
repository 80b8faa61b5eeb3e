import { describe, expect, it } from "vitest";
import type { Store } from "../store.js";
import { version } from "../../version.js";
import { flushAudit } from "./append-audit.js";
import { recordToolCalls } from "./record-tool-calls.js";

const ORG = "11111111-1111-4111-8111-111111111111";

/** The required behaviour of every engine's own state, as operators see it. */
export function storeStatusBattery(engine: string, open: () => Promise<Store>): void {
  describe(`the state of a store on ${engine}`, () => {
    it("names its engine, its schema, and the node that answers with its version and lease", async () => {
      await using store = await open();
      const { database, schema, nowMs, nodes } = await store.status.read();
      expect(database).toMatch(new RegExp(`^${engine} \\d+\\.`));
      expect(schema).not.toBe("");
      expect(nodes).toEqual([
        {
          ...{ nodeId: expect.any(String), version: version(), isSelf: true, stepsRunning: 0 },
          ...{ seenAtMs: expect.any(Number), leaseUntilMs: expect.any(Number) },
        },
      ]);
      for (const { leaseUntilMs, seenAtMs } of nodes) {
        expect(leaseUntilMs).toBeGreaterThanOrEqual(nowMs);
        expect(seenAtMs).toBeLessThanOrEqual(nowMs);
      }
    });

    it("counts what waits in all organizations", async () => {
      await using store = await open();
      const nothing = {
        ...{ plansUnfinished: 0, stepsRunning: 0, usageCalls: 0, memoryCalls: 0 },
        ...{ webhooksWaiting: 0, webhooksDead: 0 },
      };
      expect((await store.status.read()).queues).toEqual(nothing);
      await recordToolCalls(store.plans, [{ orgId: ORG }, { orgId: ORG }]);
      const deliveries = ["a", "b"].map((target) => ({
        ...{ orgId: ORG, target, messageId: "msg_1", body: "{}", dueAtMs: 1 },
      }));
      await store.webhooks.add(deliveries);
      for (const delivery of await store.webhooks.take("b", 1, { nowMs: 2, leaseUntilMs: 3 })) {
        await store.webhooks.settle(delivery, { kind: "dead", atMs: 4, error: "no answer" });
      }
      expect((await store.status.read()).queues).toEqual({
        ...{ ...nothing, usageCalls: 2, memoryCalls: 2, webhooksWaiting: 1, webhooksDead: 1 },
      });
    });

    it("tells how far the audit log was exported", async () => {
      await using store = await open();
      await recordToolCalls(store.plans, [{ orgId: ORG }]);
      await flushAudit(store);
      const claim = { holder: "a", from: 0 };
      await store.audit.exported.take("file:/audit.jsonl", claim, 60_000);
      await store.audit.exported.advance("file:/audit.jsonl", claim, 1);
      const { audit } = await store.status.read();
      expect(audit.records).toBeGreaterThan(1);
      expect(audit.positions).toEqual(new Map([["file:/audit.jsonl", 1]]));
    });
  });
}
