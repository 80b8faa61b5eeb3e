import { canonicalJson } from "@steward/kernel/canonical-json.js";
import { describe, expect, it } from "vitest";
import type { AuditFact, AuditRecord } from "../../audit/ports.js";
import { personalDigest } from "../../audit/record.js";
import { flushAudit, isVerified, newestRecords } from "./append-audit.js";
import type { AuditUnderTest } from "./audit-battery.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";

/** Ten of these are too large for one block. */
const LARGE = "ü".repeat(55_000);

/** The required behaviour of every engine's audit log that does not depend on how old records are. */
export function oldRecordsBattery(engine: string, open: () => Promise<AuditUnderTest>): void {
  describe(`old records of the audit log on ${engine}`, () => {
    it("are read, proven and erased like new ones", async () => {
      await using store = await open();
      const { archive, sequence, exported } = store.audit;
      // More than two full tiles, whose records may be packed, some of them with large values.
      const facts = Array.from({ length: 600 }, (_, at): AuditFact => ({
        ...{ orgId: at % 3 === 0 ? OTHER_ORG : ORG, subject: `s${String(at % 7)}`, atMs: at },
        ...{ kind: "test.fact", detail: {} },
        personal: {
          who: `person ${String(at % 10)}`,
          "who else": at % 10 === 4 ? LARGE : "\u2028 ü",
        },
      }));
      for (let at = 0; at < facts.length; at += 100) {
        await sequence.add(facts.slice(at, at + 100));
        await flushAudit(store);
      }
      // The first record names the key.
      const placed = facts.map(({ orgId, subject, personal }, at) => ({
        ...{ index: at + 1, orgId, subject, values: personal },
      }));
      const read = ({ index, orgId, entry, personal }: AuditRecord): object => ({
        ...{ index, orgId, subject: membersOf(entry)["subject"], values: personal?.values },
      });
      expect(await isVerified(store)).toBe(true);
      expect((await exported.records(1, 700)).map(read)).toEqual(placed);
      const own = placed.filter(({ orgId }) => orgId === ORG).toReversed();
      const filter = { orgId: ORG };
      expect((await newestRecords(store, filter, 700)).map(read)).toEqual(own);
      const some = own.filter(({ index, subject }) => index < 300 && subject === "s2");
      const found = await newestRecords(store, { ...filter, subject: "s2" }, 700, 300);
      expect(found.map(read)).toEqual(some);
      const cut = await archive.list(filter, { limit: 700, bytesMax: 1000 }, 200);
      expect(cut.isCut).toBe(true);
      expect(cut.records.length).toBeLessThan(10);
      for (const { index } of own.slice(-3)) {
        const record = await archive.record(ORG, index);
        const { salt = "", values = {} } = record?.personal ?? {};
        const digest = personalDigest(salt, canonicalJson(values));
        expect(membersOf(record?.entry ?? "{}")).toMatchObject({ personal: digest });
        expect(await archive.record(OTHER_ORG, index)).toBeUndefined();
      }
      const which = { untilMs: 550, text: "person 4" };
      const gone = ({ index, orgId, values }: (typeof placed)[number]): boolean =>
        orgId === ORG && index <= 551 && values?.["who"] === "person 4";
      const counts: number[] = [];
      do counts.push(await archive.erase(ORG, which, 7));
      while (counts.at(-1) === 7);
      const sum = counts.reduce((all, count) => all + count, 0);
      expect(sum).toBe(placed.filter(gone).length);
      expect((await exported.records(1, 700)).map(read)).toEqual(
        placed.map((each) => (gone(each) ? { ...each, values: undefined } : each)),
      );
      const about = { untilMs: 1000, subjects: ["s0", "s1"] };
      expect(await archive.erase(OTHER_ORG, about, 1000)).toBe(
        placed.filter(
          ({ orgId, subject }) => orgId === OTHER_ORG && about.subjects.includes(subject),
        ).length,
      );
      expect(await archive.erase(OTHER_ORG, { untilMs: 1000 }, 1000)).toBe(
        placed.filter(
          ({ orgId, subject }) => orgId === OTHER_ORG && !about.subjects.includes(subject),
        ).length,
      );
      expect(await archive.erase(OTHER_ORG, { untilMs: 1000 }, 1000)).toBe(0);
      expect(await isVerified(store)).toBe(true);
      expect((await archive.entries(0, 700)).length).toBe(601);
    }, 60_000);
  });
}

function membersOf(entry: string): Readonly<Record<string, unknown>> {
  return JSON.parse(entry) as Readonly<Record<string, unknown>>;
}
