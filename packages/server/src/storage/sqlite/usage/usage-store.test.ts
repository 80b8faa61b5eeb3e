import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import { recordToolCalls } from "../../testing/record-tool-calls.js";
import { usageStoreBattery } from "../../testing/usage-battery.js";
import { openConnection } from "../connection.js";
import { openSqliteStore, type SqliteStore } from "../store.js";

const root = mkdtempSync(join(tmpdir(), "steward-usage-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});
let files = 0;
let path = "";
beforeEach(() => {
  files += 1;
  path = join(root, `${String(files)}.db`);
});
const open = (): SqliteStore => openSqliteStore(path, systemClock, silentTelemetry);

usageStoreBattery("SQLite", () => Promise.resolve(open()));

describe("the table usage_events", () => {
  it("has the columns of Contract §2.9 for whoever reads it with SQL", async () => {
    {
      await using store = open();
      await recordToolCalls(store.plans, [
        {
          orgId: "11111111-1111-4111-8111-111111111111",
          eventId: "33333333-3333-4333-8333-333333333333",
          intent: "write_update",
          finishedAtMs: Date.parse("2026-01-05T12:00:00.007Z"),
        },
      ]);
      await store.usage.recording.recordPending(10);
    }
    const db = openConnection(path, true);
    const columns = `id, org_id, session_id, tool_name, intent, aau_weight, orm_model, cost_usd,
      created_at`;
    expect(db.prepare(`SELECT ${columns} FROM usage_events`).all()).toEqual([
      {
        id: "33333333-3333-4333-8333-333333333333",
        org_id: "11111111-1111-4111-8111-111111111111",
        session_id: "session",
        tool_name: "sql",
        intent: "write_update",
        aau_weight: 3,
        orm_model: null,
        cost_usd: 0,
        created_at: "2026-01-05T12:00:00.007Z",
      },
    ]);
    db.close();
  });
});
