import { randomBytes } from "node:crypto";
import { systemClock } from "@steward/kernel/clock.js";
import { uuidV7 } from "@steward/kernel/ids.js";
import type { AuditFact } from "../../../audit/ports.js";
import { factJson } from "../../audit-rows.js";
import type { Connection } from "../database.js";

/** Adds a fact to the outbox, in the transaction of what it tells. */
export async function addFact(
  connection: Pick<Connection, "query">,
  fact: AuditFact,
): Promise<void> {
  await connection.query(
    "INSERT INTO audit_outbox (org_id, outbox_id, at_ms, fact) VALUES ($1, $2, $3, $4)",
    [fact.orgId, outboxId(), fact.atMs, factJson(fact)],
  );
}

let made = 0;

/** An id with a counter in the place of the first random bits, so that facts of one millisecond stay in order. */
function outboxId(): string {
  const random = randomBytes(10);
  made = (made + 1) % 4096;
  random.writeUInt16BE(made);
  return uuidV7(systemClock.nowMs(), random);
}
