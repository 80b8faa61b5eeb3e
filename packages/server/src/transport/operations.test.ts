import { expect, it } from "vitest";
import { OperationRecorder } from "../audit/index.js";
import { auditRecordOf } from "../audit/record.js";
import { EVENT_KINDS } from "../audit-export/ocsf/event-kinds.js";
import { systemClock } from "@steward/kernel/clock.js";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import type { AuditFact } from "../kernel/audit-fact.js";
import { askedOperation, recordOf, RECORDED_OPERATIONS } from "./operations.js";

it("have kinds that the export of the audit log knows, so that each has an event of its own class", () => {
  const kinds = RECORDED_OPERATIONS.map((operation) => recordOf(operation)?.kind ?? operation);
  expect(kinds.length).toBeGreaterThan(30);
  expect(kinds.filter((kind) => EVENT_KINDS[kind] === undefined)).toEqual([]);
});

/** The facts that an operation records when each of these parameters has this value. */
async function factsOf(operation: string, names: readonly string[], value: string) {
  const facts: AuditFact[] = [];
  const recorder = new OperationRecorder({
    outbox: { add: (added) => Promise.resolve(void facts.push(...added)) },
    clock: systemClock,
    policyVersion: () => Promise.resolve("1"),
  });
  const record = recordOf(operation);
  if (record === undefined) throw new Error(`${operation} is recorded`);
  const asked = askedOperation(
    operation,
    record,
    Object.fromEntries(names.map((name) => [name, value])),
  );
  await recorder.run(ADMIN, asked, () => Promise.resolve());
  return facts;
}

const IDS = ["key_id", "hold_id", "budget_id", "entry_id", "migration_id", "approval_id"];

it.each(RECORDED_OPERATIONS)(
  "of %s contain what a caller writes in place of an id only digested",
  async (operation) => {
    const facts = await factsOf(operation, [...IDS, "session_id", "reason"], "Ada Lovelace");
    expect(facts.length).toBeGreaterThan(0);
    for (const fact of facts) {
      const { subject, entry, personal } = auditRecordOf(fact, "salt");
      expect(subject).toBe("");
      expect(entry).not.toContain("Ada");
      expect(personal?.json).toContain("Ada Lovelace");
    }
  },
);

it.each(["5f3c9a2be1d04c7788aa0f12", "6f0c3f2a-2f0e-4c35-9d0b-0c4b7a1de9f1"])(
  "name what they are about by its id: %s",
  async (id) => {
    for (const name of IDS) {
      expect(await factsOf("revokeApiKey", [name], id)).toMatchObject([{ subject: id }]);
      const upper = await factsOf("placeHold", [name], id.toUpperCase());
      expect(upper.map(({ subject }) => subject)).toEqual([id.length === 36 ? id : ""]);
    }
  },
);
