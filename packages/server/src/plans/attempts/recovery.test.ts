import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LEASE_MS } from "../limits.js";
import { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { silentLog } from "@steward/kernel/log.js";
import { Connections, GrantFile, mcpTools, PinFile } from "../../adapters/mcp-client/index.js";
import { SqliteAnalyzer } from "../../adapters/sql-analyzer/index.js";
import { readAtOnce } from "../../adapters/sql-analyzer/testing/read-at-once.js";
import { buildToolRegistry } from "../../adapters/tool-registry.js";
import { silentTelemetry } from "../../kernel/telemetry.js";
import { openSqliteStore } from "../../storage/sqlite/store.js";
import type { PreparedStep } from "../plan.js";
import { AttemptRunner } from "./attempt-runner.js";
import { Recovery } from "./recovery.js";
import { SchemaSteps } from "./schema-steps.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const TOOL = "mcp:tickets/create";

/** A process claims a step that calls another MCP server's tool, and dies; another one recovers it. */
it("a write of another MCP server's tool whose process died has an unknown outcome", async () => {
  const directory = mkdtempSync(join(tmpdir(), "steward-recovery-"));
  let nowMs = systemClock.nowMs();
  const clock = { nowMs: () => nowMs };
  const ids = systemIds(clock);
  try {
    await using store = openSqliteStore(join(directory, "store.db"), clock, silentTelemetry);
    const { plans: engine } = store;
    const ref = { orgId: ORG, planId: ids.orderedUuid() };
    await engine.createPlan({
      ...{ ref, sessionId: "", name: "", description: "", steps: [CALL] },
      ...{ createdAtMs: nowMs, deadlineMs: nowMs + 3_600_000 },
    });
    await engine.claimStep({ ...ref, stepId: "a" }, "the process that dies");
    nowMs += LEASE_MS * 2;
    const server = {
      ...{ name: "tickets", endpoint: { url: "http://127.0.0.1/mcp", headers: {} } },
      tools: [{ name: "create", intent: "write_insert" as const }],
    };
    await using connections = new Connections(1000, { file: new GrantFile("no grants"), clock });
    const parts = { connections, pins: new PinFile(undefined) };
    const tools = buildToolRegistry(
      { strict: false, tools: [] },
      new Map(),
      mcpTools([server], parts),
    );
    const journal = { before: () => Promise.resolve(), after: () => Promise.resolve() };
    const runner = new AttemptRunner({
      ...{ tools, clock, ids, reader: readAtOnce(new SqliteAnalyzer()) },
      access: new DataSourceAccess([]),
      schemas: new SchemaSteps(journal, silentLog),
      policy: {
        looksAtData: () => Promise.resolve(false),
        permit: () => Promise.resolve({}),
        permits: () => Promise.resolve(true),
      },
      approvalValidMs: 60_000,
    });
    await using _recovery = new Recovery(engine, tools, runner, silentLog);
    await expect
      .poll(async () => (await engine.findPlan(ref))?.steps[0])
      .toMatchObject({
        status: "failed",
        error: {
          code: "OUTCOME_UNKNOWN",
          message: expect.stringContaining("keeps no record") as string,
        },
      });
  } finally {
    rmSync(directory, { recursive: true });
  }
});

const CALL: PreparedStep = {
  ...{ id: "a", index: 0, name: "", toolName: TOOL, dataSource: TOOL, queryTemplate: "{}" },
  ...{ intent: "write_insert", intentSource: "annotation", statementClass: "write_insert" },
  ...{ dependsOn: [], schemaTableHints: [], statement: { sql: "{}", binds: [] } },
};
