import { randomUUID } from "node:crypto";
import type { TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedEntry } from "../../memory/embedded-entry.js";
import { verifyTotals } from "../../usage/reports/verification.js";
import type { Store } from "../store.js";
import { recordToolCalls } from "../testing/record-tool-calls.js";
import { budgetSample, externalSample, priceSample } from "../testing/usage-samples.js";
import { DoubtfulProxy } from "./testing/doubtful-proxy.js";
import { openTestStore } from "./testing/open-store.js";
import { storeDatabase } from "./testing/store-database.js";

const ORG = "11111111-1111-4111-8111-111111111111";
/** An arbitrary hash. */
const COMMIT = "ab".repeat(32) as never;

/** A write, the statement that commits it, and the rows that it leaves. */
interface Write {
  readonly name: string;
  readonly commitsBy: RegExp;
  readonly table: string;
  readonly run: (store: Store) => Promise<unknown>;
  readonly returns: unknown;
}

const budget = budgetSample();
const price = priceSample();
const usageEvent = externalSample({ orgId: ORG, occurredAtMs: 1_000, intent: "admin", cost: 5n });
const entry = { orgId: ORG, entryId: randomUUID(), sessionId: "s", content: "{}", createdAtMs: 1 };
const policies = { orgId: ORG, version: 1, text: "//", changedBy: "ada", changedAtMs: 1 };

const WRITES: readonly Write[] = [
  {
    name: "the creation of a plan",
    commitsBy: /steward_create_plan/,
    table: "plans",
    run: ({ plans }) => recordToolCalls(plans, [{ orgId: ORG }]),
    returns: [expect.objectContaining({ orgId: ORG })],
  },
  {
    name: "the end of a step",
    commitsBy: /steward_append/,
    table: "plan_changes",
    run: ({ plans }) => recordToolCalls(plans, [{ orgId: ORG }]),
    returns: [expect.objectContaining({ orgId: ORG })],
  },
  {
    name: "usage from outside",
    commitsBy: /^COMMIT$/,
    table: "usage_events",
    run: ({ usage }) => usage.recording.recordExternal(ORG, () => [usageEvent]),
    returns: [usageEvent],
  },
  {
    name: "a price",
    commitsBy: /^COMMIT$/,
    table: "usage_prices",
    run: ({ usage }) => usage.prices.change(ORG, () => ({ added: price, ended: undefined })),
    returns: { added: price, ended: undefined },
  },
  {
    name: "a budget",
    commitsBy: /INTO usage_budgets/,
    table: "usage_budgets",
    run: ({ usage }) => usage.budgets.save(ORG, budget),
    returns: undefined,
  },
  {
    name: "a memory entry",
    commitsBy: /^COMMIT$/,
    table: "memory_entries",
    run: ({ memory }) => memory.addEntries([embeddedEntry(entry, Float32Array.of(1, 1))]),
    returns: undefined,
  },
  {
    name: "a version of the policies",
    commitsBy: /^COMMIT$/,
    table: "policies",
    run: (store) => store.policies.put(policies),
    returns: true,
  },
];

// XX000 at the end of a transaction does not tell whether it took effect. A deferred trigger makes
// the first attempt of a write fail like this without effect; a proxy makes an attempt that took
// effect look the same.
describe.each(["nothing had", "everything had"])(
  "a write that ends in doubt when %s taken effect",
  (what) => {
    const hasEffect = what === "everything had";
    let database: TestDatabase;
    let proxy: DoubtfulProxy;
    let store: Store;
    beforeAll(async () => {
      database = await storeDatabase();
      proxy = await DoubtfulProxy.start(database.url);
      store = await openTestStore(proxy.url);
      await store.memory.useModel({ name: "hash", dimension: 2 });
      await database.query(FAILING_TRIGGER);
    });
    afterAll(async () => {
      await store[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    });

    it.each(WRITES)("is done once: $name", async ({ table, commitsBy, run, returns }) => {
      const calls = await doubting({ table, commitsBy }, () => run(store));
      expect(calls).toEqual(returns);
      if (table === "plan_changes" || table === "plans") {
        const [call] = calls as readonly { readonly planId: string }[];
        expect(await stepStatus(call?.planId ?? "")).toEqual([{ status: "completed" }]);
        return;
      }
      expect(await database.query(`SELECT count(*)::int AS n FROM ${table}`)).toEqual([{ n: 1 }]);
    });

    it("is done once: usage of a step", async () => {
      await recordToolCalls(store.plans, [{ orgId: ORG }]);
      const recorded = doubting({ table: "usage_events", commitsBy: /^COMMIT$/ }, async () => {
        await store.usage.recording.recordPending(100).catch(() => undefined);
        await store.usage.recording.recordPending(100);
      });
      await recorded;
      const calls = await database.query("SELECT event_id AS id FROM tool_calls ORDER BY id");
      const rows = await database.query(
        "SELECT id FROM usage_events WHERE source IS NULL ORDER BY id",
      );
      expect(rows).toEqual(calls);
      expect(await verifyTotals(store.usage, ORG, { repair: false })).toEqual([]);
    });

    it("is read back: a move of a branch", async () => {
      const move = { name: "heads/main", expected: undefined, next: COMMIT };
      const outcome = await doubting(
        { table: "state_refs", commitsBy: /steward_move_state_refs/ },
        async () => store.stateOrigin?.move(ORG, 0, [move], new Map()),
      );
      expect(outcome).toBe("unknown");
      const refs = await store.stateOrigin?.refs(ORG);
      expect(refs?.refs ?? []).toEqual(hasEffect ? [{ name: "heads/main", commit: COMMIT }] : []);
    });

    it("is done once: the deletion of a memory entry", async () => {
      const deleted = doubting({ table: "memory_entries", commitsBy: /^COMMIT$/ }, () =>
        store.memory.deleteEntry(ORG, entry.entryId),
      );
      expect(await deleted).toBe(true);
      expect(await database.query("SELECT FROM memory_entries")).toEqual([]);
      expect(await store.memory.deleteEntry(ORG, entry.entryId)).toBe(false);
    });

    /** Runs a write whose first attempt ends in doubt, and checks that it did. */
    async function doubting<T>(
      { table, commitsBy }: Pick<Write, "table" | "commitsBy">,
      work: () => Promise<T>,
    ): Promise<T> {
      if (hasEffect) {
        proxy.doubtNext(commitsBy);
        const result = await work();
        expect(proxy.isDoubting).toBe(false);
        return result;
      }
      await database.query(`SELECT setval('tries', 1, false);
        CREATE CONSTRAINT TRIGGER doubt AFTER INSERT OR DELETE ON ${table}
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail_first()`);
      const result = await work();
      await database.query(`DROP TRIGGER doubt ON ${table}`);
      const [tries] = await database.query("SELECT is_called FROM tries");
      expect(tries).toEqual({ is_called: true });
      return result;
    }

    function stepStatus(planId: string): Promise<readonly object[]> {
      return database.query("SELECT status FROM plan_steps WHERE plan_id = $1", [planId]);
    }
  },
);

/** A sequence counts attempts, because it is not rolled back with a transaction. */
const FAILING_TRIGGER = `CREATE SEQUENCE tries;
  CREATE FUNCTION fail_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('tries') = 1 THEN
      RAISE EXCEPTION 'could not commit transaction for shard' USING ERRCODE = 'XX000';
    END IF;
    RETURN NULL;
  END $$;`;
