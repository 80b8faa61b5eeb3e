import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NewDelivery, WebhookStore } from "../../webhooks/ports.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";
const RETRY = { nowMs: 1_000, laterThanMs: 1_030 };

/** A delivery that is due at `number` ms. */
function delivery(number: number, over: Partial<NewDelivery> = {}): NewDelivery {
  return {
    ...{ orgId: ORG, target: "ops", messageId: `msg_${String(number)}` },
    body: JSON.stringify({ type: "plan.failed", data: { number, text: "é\u0000" } }),
    dueAtMs: number,
    ...over,
  };
}

/**
 * The required behaviour of every engine for deliveries of webhooks. Within one test, each call of
 * `open` opens the same database.
 */
export function webhookBattery(
  engine: string,
  open: () => Promise<AsyncDisposable & { readonly webhooks: WebhookStore }>,
): void {
  describe(`deliveries of webhooks on ${engine}`, () => {
    let store: Awaited<ReturnType<typeof open>>;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store[Symbol.asyncDispose]());

    const take = (nowMs: number, target = "ops", limit = 10) =>
      store.webhooks.take(target, limit, { nowMs, leaseUntilMs: nowMs + 30 });
    const list = async (filter = {}, orgId = ORG) =>
      (await store.webhooks.list(orgId, filter, { limit: 100 })).map(({ messageId }) => messageId);
    /** Takes what is due and ends it. */
    const end = async (kind: "later" | "dead", atMs: number, error = "no answer") => {
      for (const taken of await take(atMs)) {
        await store.webhooks.settle(taken, { kind, dueAtMs: atMs + 500, atMs, error });
      }
    };

    it("are taken when they are due, the longest due first, and by one server for its lease", async () => {
      await store.webhooks.add([delivery(3), delivery(1), delivery(2), delivery(9)]);
      await store.webhooks.add([delivery(1, { target: "other" })]);
      const [first, second, ...none] = await take(5, "ops", 2);
      expect(none).toEqual([]);
      expect(first).toEqual({ ...withoutDue(delivery(1)), attempt: 1 });
      expect(second?.messageId).toBe("msg_2");
      expect((await take(5)).map(({ messageId }) => messageId)).toEqual(["msg_3"]);
      expect(await take(34)).toMatchObject([{ messageId: "msg_9", attempt: 1 }]);
      const again = await take(36);
      expect(again.map(({ messageId, attempt }) => [messageId, attempt])).toEqual([
        ["msg_1", 2],
        ["msg_2", 2],
        ["msg_3", 2],
      ]);
    });

    it("are gone when they are delivered, and the end of an outdated attempt changes nothing", async () => {
      await store.webhooks.add([delivery(1)]);
      const [outdated] = await take(1);
      const [present] = await take(50);
      if (outdated === undefined || present === undefined) throw new Error("it was not due");
      await store.webhooks.settle(outdated, { kind: "delivered" });
      await store.webhooks.settle(outdated, { kind: "dead", atMs: 51, error: "no" });
      expect(await list({ status: "waiting" })).toEqual(["msg_1"]);
      await store.webhooks.settle(present, { kind: "delivered" });
      expect(await list()).toEqual([]);
    });

    it("are there after a restart, with the reason of the last failure", async () => {
      await store.webhooks.add([delivery(1), delivery(1)]);
      await end("later", 10, "the target answered 500");
      await store[Symbol.asyncDispose]();
      store = await open();
      expect(await store.webhooks.list(ORG, {}, { limit: 10 })).toEqual([
        { ...delivery(1), attempts: 1, dueAtMs: 510, error: "the target answered 500" },
      ]);
    });

    it("are listed by page, the latest first, and only to their organization", async () => {
      const made = Array.from({ length: 7 }, (_, index) => delivery(index % 3));
      await store.webhooks.add(
        made.map((each, index) => ({ ...each, messageId: `msg_${String(index)}` })),
      );
      await store.webhooks.add([delivery(1, { orgId: OTHER_ORG, messageId: "msg_other" })]);
      await store.webhooks.add([delivery(1, { target: "another" })]);
      const whole = await store.webhooks.list(ORG, {}, { limit: 100 });
      expect(whole.map(({ dueAtMs }) => dueAtMs)).toEqual([2, 2, 1, 1, 1, 0, 0, 0]);
      const paged = [];
      for (let after = whole[0]; after !== undefined;) {
        paged.push(after);
        const { target, messageId, dueAtMs: atMs } = after;
        const page = { limit: 1, after: { target, messageId, atMs } };
        [after] = await store.webhooks.list(ORG, {}, page);
      }
      expect(paged).toEqual(whole);
      expect(await list({ target: "another" })).toEqual(["msg_1"]);
      expect(await list({}, OTHER_ORG)).toEqual(["msg_other"]);
    });

    it("that are dead, or due later, are made due again with all attempts before them", async () => {
      await store.webhooks.add([
        delivery(1),
        delivery(1, { messageId: "msg_other", orgId: OTHER_ORG }),
      ]);
      await end("dead", 10);
      await store.webhooks.add([delivery(20)]);
      await end("later", 900);
      await store.webhooks.add([delivery(30)]);
      expect(await list({ status: "dead" })).toEqual(["msg_1"]);
      expect((await list({ status: "waiting" })).sort()).toEqual(["msg_20", "msg_30"]);
      expect(await take(999)).toMatchObject([{ messageId: "msg_30" }]);
      // What is under way, or due anyway, stays as it is.
      const all = { targets: ["ops"] };
      expect(await store.webhooks.retry(ORG, all, RETRY, 10)).toBe(2);
      const taken = await take(1_000);
      expect(taken.map(({ messageId, attempt }) => [messageId, attempt]).sort()).toEqual([
        ["msg_1", 1],
        ["msg_20", 1],
      ]);
      expect(await list({ status: "dead" }, OTHER_ORG)).toEqual(["msg_other"]);
    });

    it("are retried by message, by target, and up to a limit", async () => {
      const twice = [1, 2, 3].flatMap((number) => [
        delivery(number),
        delivery(number, { target: "other" }),
      ]);
      await store.webhooks.add(twice);
      for (const target of ["ops", "other"]) {
        for (const taken of await take(10, target)) {
          await store.webhooks.settle(taken, { kind: "dead", atMs: 10, error: "no" });
        }
      }
      const retry = (which: { targets: readonly string[]; messageId?: string }, limit = 10) =>
        store.webhooks.retry(ORG, which, RETRY, limit);
      expect(await retry({ targets: ["ops"], messageId: "msg_2" })).toBe(1);
      expect(await retry({ targets: ["ops"], messageId: "msg_2" })).toBe(0);
      expect(await retry({ targets: ["other"] }, 2)).toBe(2);
      expect(await retry({ targets: [] })).toBe(0);
      expect(await list({ status: "dead" })).toHaveLength(3);
      expect(await retry({ targets: ["ops", "other"] })).toBe(3);
    });

    it("are purged when they failed for good, or were last due, long ago", async () => {
      await store.webhooks.add([delivery(1), delivery(2)]);
      await end("dead", 100);
      await store.webhooks.add([delivery(50), delivery(150)]);
      await store.webhooks.purge(99);
      expect((await list()).sort()).toEqual(["msg_1", "msg_150", "msg_2"]);
      await store.webhooks.purge(101);
      expect(await list()).toEqual(["msg_150"]);
    });
  });
}

function withoutDue({ dueAtMs: _dueAtMs, ...rest }: NewDelivery): Omit<NewDelivery, "dueAtMs"> {
  return rest;
}
