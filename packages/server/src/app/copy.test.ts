import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { systemClock } from "@steward/kernel/clock.js";
import { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import { systemTimers } from "@steward/kernel/concurrency/timers.js";
import { silentLog } from "@steward/kernel/log.js";
import { freshDatabase } from "@steward/test-postgres";
import { expect, it } from "vitest";
import { toolCallRecord } from "../kernel/testing/tool-call-record.js";
import { silentTelemetry } from "../kernel/telemetry.js";
import { openTestStore } from "../storage/postgres/testing/open-store.js";
import { openSqliteStore } from "../storage/sqlite/store.js";
import type { Store } from "../storage/store.js";
import { RECORDED_STEP } from "../storage/testing/record-tool-calls.js";
import { copyStore } from "./copy.js";

const orgId = "11111111-1111-4111-8111-111111111111";
const STEPS = ["a", "b", "c"];

/** Runs a plan of three steps. @returns its id. */
async function runPlan({ plans }: Store): Promise<string> {
  const ref = { orgId, planId: randomUUID() };
  const createdAtMs = systemClock.nowMs();
  const steps = STEPS.map((id, index) => ({ ...RECORDED_STEP, id, name: id, index }));
  const times = { createdAtMs, deadlineMs: createdAtMs + 86_400_000 };
  await plans.createPlan({ ref, sessionId: "s", name: "plan", description: "", steps, ...times });
  for (const stepId of STEPS) {
    const claim = await plans.claimStep({ ...ref, stepId }, "owner");
    const attempt = claim.kind === "claimed" ? claim.attempt : 0;
    const context = { toolOutputJson: "[]", schemaAdditions: [], augmentationHints: [] };
    const call = toolCallRecord({ ...ref, stepId, finishedAtMs: createdAtMs });
    await plans.finishStep(
      { ...ref, stepId, attempt },
      { kind: "completed", rowCount: 1, durationMs: 1, context },
      call,
    );
  }
  return ref.planId;
}

/** The steps whose calls are counted now. */
async function count({ usage }: Store): Promise<readonly (string | undefined)[]> {
  const aside = new SetAside({
    ...{ work: "a sweep", log: silentLog, timers: systemTimers, random: () => 0.999 },
    backoff: { baseMs: 3_600_000, capMs: 3_600_000 },
  });
  const rows = await usage.recording.recordPending(10, aside);
  return rows.map(({ stepId }) => stepId);
}

const counted = async ({ usage }: Store): Promise<number> =>
  (await usage.reports.heatMap(orgId)).reduce((sum, { actionCount }) => sum + actionCount, 0);

/** The change of the log of a plan by which the call of its second step cannot be read. */
const setCall = (planId: string, call: string): string =>
  `UPDATE plan_changes SET call = ${call} WHERE plan_id = '${planId}' AND sequence =
    (SELECT sequence FROM plan_changes WHERE plan_id = '${planId}' AND call IS NOT NULL
     ORDER BY sequence LIMIT 1 OFFSET 1)`;

it("counts a call that could not be read once after the copy, and no other one twice", async () => {
  const directory = mkdtempSync(join(tmpdir(), "steward-copy-"));
  const path = join(directory, "store.db");
  const open = () => openSqliteStore(path, systemClock, silentTelemetry);
  let planId: string;
  {
    await using store = open();
    planId = await runPlan(store);
  }
  const file = new DatabaseSync(path);
  file.exec(setCall(planId, "'later' || call"));
  file.close();
  {
    await using store = open();
    expect(await count(store)).toEqual(["a", "c"]);
  }
  await using database = await freshDatabase();
  await copyStore({ store: path, state: join(directory, "state") }, database.url, () => undefined);
  {
    await using store = await openTestStore(database.url);
    expect(await count(store)).toEqual([]);
    expect(await counted(store)).toBe(2);
  }
  await database.query(setCall(planId, "substr(call, 6)"));
  for (const expected of [["b"], []]) {
    await using store = await openTestStore(database.url);
    expect(await count(store)).toEqual(expected);
    expect(await counted(store)).toBe(3);
  }
  rmSync(directory, { recursive: true });
});
