import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { AuditFact } from "../../audit/ports.js";
import { auditRecordOf } from "../../audit/record.js";
import { ocsfEventOf, unreadableEvent, type OcsfEvent } from "./ocsf-event.js";
import { violationsOf } from "./testing/violations.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const SOURCE = { logName: "steward/audit", version: "0.1.0" };
const AT_MS = Date.parse("2026-03-01T09:30:00Z");

const ADA: AuditFact["origin"] = {
  caller: {
    kind: "agent",
    authenticatedBy: "jwt",
    userId: "ada.lovelace",
    agentId: "analyst",
    keyId: undefined,
    roles: ["member"],
    permissions: [],
  },
  request: {
    requestId: "r-1",
    peerAddress: "192.0.2.7",
    traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  },
};

const CALL = {
  event_id: "e-1",
  data_source: "shop",
  intent: "read_select",
  intent_source: "statement",
  status: "completed",
  attempt: 1,
  row_count: 2,
  duration_ms: 3.4,
  tables: ["orders", "customers"],
};

function eventOf(
  over: Partial<AuditFact>,
  { erased = false }: { readonly erased?: boolean } = {},
): OcsfEvent {
  const fact = { orgId: ORG, atMs: AT_MS, kind: "key.create", subject: "k", detail: {}, ...over };
  const { entry, personal } = auditRecordOf(fact, "salt");
  // What this program has written as a member of texts.
  const values = JSON.parse(personal?.json ?? "{}") as Readonly<Record<string, string>>;
  const record = {
    ...{ index: 41, orgId: ORG, entry },
    personal: erased ? undefined : { salt: "salt", values },
  };
  return ocsfEventOf(record, SOURCE);
}

const callOf = (
  { tool_name = "query_orders", ...over }: Readonly<Record<string, string>>,
  statement = "SELECT 1",
): Partial<AuditFact> => ({
  kind: "plan.changed",
  subject: "p-1",
  origin: ADA,
  detail: { events: [{ type: "PlanStepExecuted" }], call: { ...CALL, ...over } },
  personal: { "call.statement": statement, "call.tool_name": tool_name },
});

describe("the event of a record", () => {
  it("is Datastore Activity for a tool call on a database", () => {
    const statement = "SELECT name FROM orders WHERE id = 7 AND mail = 'ada@example.com' -- Ada";
    const event = eventOf(callOf({}, statement));
    expect(violationsOf(event)).toEqual([]);
    expect(event).toMatchObject({
      class_uid: 6005,
      activity_id: 4,
      type_uid: 600_504,
      status_id: 1,
      severity_id: 1,
      time: AT_MS,
      duration: 3,
      database: { name: "shop", type_id: 1 },
      table: { name: "orders" },
      query_info: { query_string: "SELECT name FROM orders WHERE id = ? AND mail = ?" },
      actor: { user: { uid: "ada.lovelace", org: { uid: ORG } }, app_name: "analyst" },
      src_endpoint: { ip: "192.0.2.7" },
      message_context: { ai_role_id: 4, uid: "analyst" },
      metadata: {
        version: "1.8.0",
        uid: "steward/audit/41",
        correlation_uid: "4bf92f3577b34da6a3ce929d0e0e4736",
        profiles: ["ai_operation"],
        tenant_uid: ORG,
      },
    });
  });

  it.each([
    ["write_insert", 5],
    ["write_update", 2],
    ["write_delete", 7],
    ["admin", 99],
  ])("has the activity of the intent %s", (intent, activity) => {
    const event = eventOf(callOf({ intent }));
    expect([event["activity_id"], ...violationsOf(event)]).toEqual([activity]);
  });

  it("is API Activity for everything else, calls of other MCP servers among it", () => {
    const event = eventOf(callOf({ tool_name: "mcp:crm/find", data_source: "mcp:crm" }));
    expect(violationsOf(event)).toEqual([]);
    expect(event).toMatchObject({
      class_uid: 6003,
      api: { operation: "mcp:crm/find" },
      metadata: { profiles: ["trace", "ai_operation"] },
    });
    const detail = { operation: "createApiKey", status: "succeeded" };
    const created = eventOf({ origin: ADA, detail });
    expect(violationsOf(created)).toEqual([]);
    expect(created).toMatchObject({
      type_uid: 600_301,
      api: { operation: "createApiKey" },
      resources: [{ uid: "k", type: "key" }],
    });
  });

  it("is Authentication for a failed one, with how often it was tried", () => {
    const event = eventOf({
      ...{ orgId: NIL_ORG_ID, kind: "authentication.failed", subject: "" },
      detail: { reason: "no such key", count: 3 },
      origin: {
        caller: {
          ...{ kind: "anonymous", authenticatedBy: "headers", roles: [], permissions: [] },
          ...{ userId: undefined, agentId: undefined, keyId: undefined },
        },
        request: { requestId: "r-2", peerAddress: "2001:db8::7" },
      },
    });
    expect(violationsOf(event)).toEqual([]);
    expect(event).toMatchObject({
      ...{ class_uid: 3002, activity_id: 1, status_id: 2, severity_id: 3, count: 3 },
      src_endpoint: { ip: "2001:db8::7" },
      service: { name: "Steward" },
    });
  });

  it("tells how an operation ended", () => {
    const outcomes = [
      { status: "succeeded" },
      { status: "failed", code: "INVALID_ARGUMENT" },
      { status: "begun" },
    ].map((detail) => {
      const event = eventOf({ detail });
      expect(violationsOf(event)).toEqual([]);
      return [event["status_id"], event["status"], event["severity"], event["status_code"]];
    });
    expect(outcomes).toEqual([
      [1, "Success", "Informational", undefined],
      [2, "Failure", "Low", "INVALID_ARGUMENT"],
      [99, "begun", "Informational", undefined],
    ]);
    expect(eventOf({ kind: "operation.refused", detail: { code: "POLICY_DENIED" } })).toMatchObject(
      { status_id: 2, severity_id: 3, status_code: "POLICY_DENIED" },
    );
  });

  it("of a record whose personal values were erased names nobody", () => {
    const event = eventOf(callOf({}), { erased: true });
    expect(violationsOf(event)).toEqual([]);
    expect(event).toMatchObject({ src_endpoint: { name: "erased" } });
    expect(event).toMatchObject({ actor: { user: { name: "agent", type: "Unknown" } } });
    expect(JSON.stringify(event)).not.toMatch(/ada\.lovelace|analyst|r-1/);
    expect(event["query_info"]).toBeUndefined();
  });

  it("of a record that cannot be read says so, with what is known of it and its digest", () => {
    const entry = `{"at":"2026-05-01T10:00:00.000Z","detail":"of a later version`;
    const sent = unreadableEvent({ index: 7, orgId: ORG, entry, personal: undefined }, SOURCE);
    expect(sent).toMatchObject({ index: 7, kind: "record.unreadable" });
    expect(sent.atMs).toBe(Date.parse("2026-05-01T10:00:00.000Z"));
    const event = JSON.parse(sent.json) as OcsfEvent;
    expect(event).toMatchObject({
      metadata: { tenant_uid: ORG, sequence: 7 },
      raw_data_hash: { value: createHash("sha256").update(entry).digest("hex") },
    });
    expect(violationsOf(event)).toEqual([]);
  });

  it("never shows a value of a statement or a text that a person wrote", () => {
    const literal = fc.oneof(
      fc.constantFrom("'SECRET'", "'it''s SECRET'", "E'a\\'SECRET'", "$$SECRET$$", "$x$SECRET$x$"),
      fc.constantFrom("X'00' || 'SECRET'", "/* SECRET */ 1", "-- SECRET\n1"),
    );
    const piece = fc.constantFrom(
      ...'SELECT name FROM [it\'s] "a" `b` = , ( ) {{ }} $1 ? ;'.split(" "),
    );
    const statement = fc
      .tuple(
        fc.array(fc.oneof(piece, literal), { maxLength: 12 }),
        fc.constantFrom("", "'unclosed SECRET", "/* unclosed SECRET", "$$ unclosed SECRET"),
      )
      .map(([pieces, end]) => [...pieces, end].join(" "));
    fc.assert(
      fc.property(statement, (text) => {
        const event = eventOf({ ...callOf({}, text) });
        expect(violationsOf(event)).toEqual([]);
        const { query_string: shown = "" } = (event["query_info"] ?? {}) as {
          readonly query_string?: string;
        };
        expect(quotedNamesRemoved(shown)).not.toContain("SECRET");
      }),
      { numRuns: 300 },
    );
    const told = eventOf({
      detail: { events: [{ type: "PlanStepExecuted" }], call: CALL },
      personal: { "events.0.reason": "my SECRET", "call.error": "SECRET", request: "SECRET" },
    });
    expect(JSON.stringify(told)).not.toContain("SECRET");
  });
});

/** What stands between the quotes of a name, or in a placeholder, is a name in both dialects. */
function quotedNamesRemoved(shown: string): string {
  return shown.replace(/"[^"]*"|`[^`]*`|\[[^\]]*\]|\{\{.*?\}\}/g, "");
}
