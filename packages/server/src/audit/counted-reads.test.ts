import { describe, expect, it } from "vitest";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import type { AuditFact } from "../kernel/audit-fact.js";
import { CountedReads } from "./counted-reads.js";
import { AUDIT_READERS_MAX, AUDIT_READS_MS } from "./limits.js";

describe("reads that are counted", () => {
  const facts: AuditFact[] = [];
  const store = (added: readonly AuditFact[]): Promise<void> => {
    facts.push(...added);
    return Promise.resolve();
  };
  const fact = (atMs: number): AuditFact => ({
    ...{ orgId: ADMIN.orgId, atMs, kind: "audit.export", subject: "" },
    ...{ detail: { status: "permitted" }, personal: { request: "{}" } },
  });
  const counts = () => facts.map(({ atMs, detail }) => [atMs, detail["count"]]);

  it("have one record an hour, and their number with the next one", async () => {
    facts.length = 0;
    const reads = new CountedReads(store);
    for (let ms = 0; ms < AUDIT_READS_MS; ms += 60_000) await reads.record(ADMIN, fact(ms));
    expect(counts()).toEqual([[0, undefined]]);
    await reads.record(ADMIN, fact(AUDIT_READS_MS));
    expect(counts()).toEqual([
      [0, undefined],
      [0, 59],
      [AUDIT_READS_MS, undefined],
    ]);
    await reads.record({ ...ADMIN, userId: "grace" }, fact(AUDIT_READS_MS));
    await reads.record(ADMIN, fact(AUDIT_READS_MS + 1));
    await reads.storeCounts();
    expect(counts().slice(3)).toEqual([
      [AUDIT_READS_MS, undefined],
      [AUDIT_READS_MS, 1],
    ]);
  });

  it("wait for the record of the first one, and are refused with it", async () => {
    let refuse: (error: Error) => void = () => undefined;
    const failing = new CountedReads(() => new Promise((_resolve, reject) => (refuse = reject)));
    const both = Promise.allSettled([
      failing.record(ADMIN, fact(1)),
      failing.record(ADMIN, fact(2)),
    ]);
    refuse(new Error("the store is away"));
    expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  it("by more callers than are remembered lose no number", async () => {
    facts.length = 0;
    const reads = new CountedReads(store);
    for (let n = 0; n <= AUDIT_READERS_MAX; n += 1) {
      const caller = { ...ADMIN, userId: String(n) };
      await reads.record(caller, fact(n));
      await reads.record(caller, fact(n));
    }
    await reads.storeCounts();
    expect(facts).toHaveLength(2 * (AUDIT_READERS_MAX + 1));
  });
});
