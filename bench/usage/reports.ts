import { deepStrictEqual } from "node:assert";
import { DatabaseSync } from "@photostructure/sqlite";
import { LARGE_ORG, YEAR } from "./rows.js";
import { openUsageRoom } from "./usage-room.js";

/** Number of reports for the median. */
const REPORTS = 200;
const WARM_UP = 20;
const ADMIN = {
  orgId: LARGE_ORG,
  kind: "person",
  authenticatedBy: "headers",
  roles: ["admin"],
  permissions: [],
} as const;

/** Scans of the rows with the same results as the reports, which read totals. */
const SCANS = {
  days: `SELECT date(occurred_at_ms / 1000, 'unixepoch') AS date, count(*) AS actions,
      sum(aau_weight) AS aau, sum(cost_nanodollars) AS cost
    FROM usage_events WHERE org_id = ? GROUP BY 1 ORDER BY 1`,
  heatMap: `SELECT coalesce(orm_model, 'unknown') AS model, intent, count(*) AS actions,
      sum(aau_weight) AS aau, sum(cost_nanodollars) AS cost
    FROM usage_events WHERE org_id = ? GROUP BY 1, 2 ORDER BY 1, 2`,
} as const;

/**
 * Median durations of reports of the service, each with one scan of the rows that has the same
 * result.
 */
export async function measureReports(path: string): Promise<readonly object[]> {
  await using room = openUsageRoom(path);
  const { service } = room;
  const days = await medianOf(() => service.daily(ADMIN, YEAR));
  const heatMap = await medianOf(() => service.heatMap(ADMIN));
  const scanned = { days: scan(path, SCANS.days), heatMap: scan(path, SCANS.heatMap) };
  deepStrictEqual(
    days.result.rows.map((row) => [row.date, row.actionCount, row.totalAau, Number(row.totalCost)]),
    scanned.days.rows,
  );
  deepStrictEqual(
    heatMap.result.map((cell) => [
      cell.ormModel,
      cell.intent,
      cell.actionCount,
      cell.totalAau,
      Number(cell.totalCost),
    ]),
    scanned.heatMap.rows,
  );
  const tools = await medianOf(() => service.daily(ADMIN, { ...YEAR, group_by: "tool" }));
  const berlin = await medianOf(() => service.daily(ADMIN, { ...YEAR, tz: "Europe/Berlin" }));
  return [
    line("365 days", days.ms, scanned.days.ms),
    line("heat map", heatMap.ms, scanned.heatMap.ms),
    line("365 days by tool", tools.ms),
    line("365 days of Berlin", berlin.ms),
  ];
}

async function medianOf<Result>(
  ask: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly ms: number }> {
  for (let i = 0; i < WARM_UP; i += 1) await ask();
  const result = await ask();
  const times: number[] = [];
  for (let i = 0; i < REPORTS; i += 1) {
    const started = performance.now();
    await ask();
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  return { result, ms: times[REPORTS / 2] ?? 0 };
}

/** Scans twice, so that the second scan finds the rows in memory. */
function scan(
  path: string,
  sql: string,
): { readonly rows: readonly unknown[]; readonly ms: number } {
  const db = new DatabaseSync(path);
  const statement = db.prepare(sql);
  statement.all(LARGE_ORG);
  const started = performance.now();
  const rows = statement.all(LARGE_ORG) as Record<string, unknown>[];
  const ms = performance.now() - started;
  db.close();
  return { rows: rows.map((row) => Object.values(row)), ms };
}

function line(report: string, ms: number, scanMs?: number): object {
  const rounded = { report, "p50 ms": Math.round(ms * 1000) / 1000 };
  if (scanMs === undefined) return rounded;
  return { ...rounded, "scan ms": Math.round(scanMs), faster: Math.round(scanMs / ms) };
}
