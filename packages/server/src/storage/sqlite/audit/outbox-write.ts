import type { AuditFact } from "../../../audit/ports.js";
import { factJson } from "../../audit-rows.js";
import type { Write } from "../commit-protocol.js";

/** Adds a fact to the outbox, in the unit of what it tells. */
export function outboxWrite(fact: AuditFact): Write {
  return {
    sql: "INSERT INTO audit_outbox (org_id, at_ms, fact) VALUES (?, ?, ?)",
    params: [fact.orgId, fact.atMs, factJson(fact)],
  };
}
