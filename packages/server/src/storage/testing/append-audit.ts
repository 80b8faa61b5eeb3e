import type { AuditSequence } from "../../audit/ports.js";

/** Marks all waiting facts as read by the audit log, without making records of them. */
export async function appendAudit(sequence: AuditSequence): Promise<void> {
  for (;;) {
    const batch = await sequence.take(1000);
    if (batch.facts.length === 0) return;
    const { size } = await sequence.head();
    await sequence.append(batch, { from: size, records: [], tiles: [], checkpoint: "" });
  }
}
