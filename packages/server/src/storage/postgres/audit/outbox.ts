import { randomBytes } from "node:crypto";
import { systemClock } from "@steward/kernel/clock.js";
import { uuidV7 } from "@steward/kernel/ids.js";
import type { AuditFact } from "../../../audit/ports.js";
import { factJson } from "../../audit-rows.js";
import { byOrganization } from "../../by-organization.js";
import type { Connection } from "../database.js";

/** Adds facts to the outbox, in the transaction of what they tell: one statement for each organization. */
export async function addFacts(
  connection: Pick<Connection, "query">,
  facts: readonly AuditFact[],
): Promise<void> {
  for (const [orgId, own] of byOrganization(facts, (fact) => fact.orgId)) {
    await connection.query(
      `INSERT INTO audit_outbox (org_id, outbox_id, at_ms, fact)
       SELECT $1::uuid, id, at, told FROM unnest($2::uuid[], $3::bigint[], $4::text[]) AS f (id, at, told)`,
      [orgId, own.map(outboxId), own.map(({ atMs }) => atMs), own.map(factJson)],
    );
  }
}

let made = 0;

/** An id with a counter in the place of the first random bits, so that facts of one millisecond stay in order. */
function outboxId(): string {
  const random = randomBytes(10);
  made = (made + 1) % 4096;
  random.writeUInt16BE(made);
  return uuidV7(systemClock.nowMs(), random);
}
