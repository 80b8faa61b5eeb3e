import { describe, expect, it } from "vitest";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { AuditFact } from "../../audit/ports.js";
import { appendAudit } from "./append-audit.js";
import type { AuditUnderTest } from "./audit-battery.js";

const SINK = "file:/audit.jsonl";
const FACT: AuditFact = {
  ...{ orgId: NIL_ORG_ID, atMs: 1, kind: "test.fact", subject: "s", detail: {} },
  personal: { who: "ada" },
};

/**
 * The required behaviour of every engine's positions of the export. Within one test, each call of
 * `open` opens the same database.
 * @param canShare whether several servers may have the store open at once.
 */
export function auditExportBattery(
  engine: string,
  open: () => Promise<AuditUnderTest>,
  canShare: boolean,
): void {
  describe(`the positions of the export on ${engine}`, () => {
    it("begin at the first record and survive a restart", async () => {
      {
        await using store = await open();
        await append(store, 3);
        const { exported } = store.audit;
        expect(await exported.position(SINK)).toBe(0);
        expect((await exported.records(1, 10)).map(({ index }) => index)).toEqual([1, 2]);
        expect(await exported.records(0, 1)).toMatchObject([
          { index: 0, personal: { values: { who: "ada" } } },
        ]);
        const claim = { holder: "a", from: 0 };
        expect(await exported.take(SINK, claim, 60_000)).toBe(true);
        expect(await exported.advance(SINK, claim, 2)).toBe(true);
        await exported.release(SINK, "a");
      }
      await using again = await open();
      expect(await again.audit.exported.position(SINK)).toBe(2);
      expect(await again.audit.exported.position("another")).toBe(0);
      expect(await again.audit.exported.take(SINK, { holder: "b", from: 2 }, 60_000)).toBe(true);
    });

    it("move only from where the sender has read", async () => {
      await using store = await open();
      const { exported } = store.audit;
      const claim = { holder: "a", from: 0 };
      await exported.take(SINK, claim, 60_000);
      await exported.advance(SINK, claim, 2);
      expect(await exported.take(SINK, claim, 60_000)).toBe(false);
      expect(await exported.advance(SINK, claim, 1)).toBe(false);
      expect(await exported.position(SINK)).toBe(2);
    });

    if (canShare) {
      it("belong to one server at a time, until it leaves or its lease expires", async () => {
        await using store = await open();
        await using other = await open();
        const mine = { holder: "a", from: 0 };
        const theirs = { holder: "b", from: 0 };
        expect(await store.audit.exported.take(SINK, mine, 60_000)).toBe(true);
        expect(await other.audit.exported.take(SINK, theirs, 60_000)).toBe(false);
        expect(await other.audit.exported.advance(SINK, theirs, 1)).toBe(false);
        await store.audit.exported.release(SINK, "a");
        // A lease that has expired by the clock of the database.
        await expect.poll(() => other.audit.exported.take(SINK, theirs, -1)).toBe(true);
        await expect.poll(() => store.audit.exported.take(SINK, mine, 60_000)).toBe(true);
        // The server that lost the sink meanwhile must not move its position.
        expect(await other.audit.exported.advance(SINK, theirs, 1)).toBe(false);
        expect(await store.audit.exported.advance(SINK, mine, 1)).toBe(true);
      });
    }
  });
}

/** Appends records, under a checkpoint without a signature. */
async function append({ audit: { sequence } }: AuditUnderTest, count: number): Promise<void> {
  await sequence.add(Array.from({ length: count }, () => FACT));
  await appendAudit(sequence);
}
