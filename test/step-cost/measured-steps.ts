import { Session, type HeapProfiler } from "node:inspector";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import type { Plans } from "@steward/client";
import { openApp } from "@steward/server";
import { expect, vi } from "vitest";

/** What a step costs, in counts that are the same on every machine. */
export interface StepCost {
  /** Rows that a plan of ten such steps leaves, by table. */
  readonly rowsAPlan: Readonly<Record<string, number>>;
  /** Bytes by which the store grows with a step. */
  readonly storeBytes: number;
  /** Encodings of JSON on the main thread. */
  readonly encodings: number;
  /** Decodings of JSON on the main thread. */
  readonly decodings: number;
  /** What the main thread allocates, also what is collected at once, in kB. */
  readonly allocatedKb: number;
}

/** Steps of each plan; each depends on the one before. */
export const STEPS = 10;
/** Plans of a run; there are three: one warms up, one counts, one samples what is allocated. */
const PLANS = 30;
const RUNS = 3;
/** How long the entries of the last calls may take, in ms. */
const REMEMBERED_MS_MAX = 30_000;
const ORGANIZATION = "00000000-0000-4000-8000-00000000000a";
const SAMPLING_BYTES = 8_192;

/** Runs plans of steps in this process, one after the other, and counts. @param directory an empty one. */
export async function measuredSteps(
  directory: string,
  queryTemplate: (index: number) => string,
): Promise<StepCost> {
  const target = join(directory, "target.db");
  using db = new DatabaseSync(target);
  db.exec("CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL)");
  db.exec(
    "WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO items SELECT i, 'item' FROM n",
  );
  const store = join(directory, "store.db");
  const open = () =>
    openApp({
      ...{ port: false, logLevel: "silent", dataDir: directory, databaseUrl: `sqlite:${store}` },
      organization: ORGANIZATION,
      dataSources: [{ name: "items", url: `sqlite:${target}` }],
    } as const);
  await (await open())[Symbol.asyncDispose]();
  const empty = sizeOf(store);
  const work = await (async () => {
    await using app = await open();
    const { plans } = app.as({ userId: "ada", role: "admin" });
    await run(plans, queryTemplate);
    const counts = await counted(() => run(plans, queryTemplate));
    // An app that closes leaves the last calls to the next one to remember.
    await vi.waitFor(() => {
      const [before = 0, now = 0] = [empty, sizeOf(store)].map(
        ({ rows }) => rows["memory_entries"],
      );
      expect(now - before).toBe(RUNS * PLANS * STEPS);
    }, REMEMBERED_MS_MAX);
    return counts;
  })();
  const full = sizeOf(store);
  const rows = Object.entries(full.rows).flatMap(([table, count]) => {
    const added = (count - (empty.rows[table] ?? 0)) / (RUNS * PLANS);
    return added < 1 ? [] : [[table, Math.round(added)] as const];
  });
  return {
    rowsAPlan: Object.fromEntries(rows),
    storeBytes: (full.bytes - empty.bytes) / (RUNS * PLANS * STEPS),
    ...work,
  };
}

async function run(plans: Plans, queryTemplate: (index: number) => string): Promise<void> {
  for (let plan = 0; plan < PLANS; plan += 1) {
    const { plan_id: planId } = await plans.submit({
      steps: Array.from({ length: STEPS }, (_, index) => ({
        ...{ id: `s${String(index)}`, query_template: queryTemplate(index) },
        depends_on: index === 0 ? [] : [`s${String(index - 1)}`],
      })),
    });
    for (let index = 0; index < STEPS; index += 1) {
      const { step_result: result } = await plans.execute(planId, `s${String(index)}`);
      if (result.status !== "completed") throw new Error(JSON.stringify(result.error));
    }
  }
}

async function counted(
  work: () => Promise<void>,
): Promise<Omit<StepCost, "rowsAPlan" | "storeBytes">> {
  const [encodings, decodings] = [vi.spyOn(JSON, "stringify"), vi.spyOn(JSON, "parse")];
  await work();
  const calls = [encodings, decodings].map((spy) => spy.mock.calls.length);
  vi.restoreAllMocks();
  const bytes = await allocatedBy(work);
  const [encoded = 0, decoded = 0] = calls.map((count) => count / PLANS / STEPS);
  return { encodings: encoded, decodings: decoded, allocatedKb: bytes / PLANS / STEPS / 1000 };
}

async function allocatedBy(work: () => Promise<void>): Promise<number> {
  const session = new Session();
  session.connect();
  const options = {
    samplingInterval: SAMPLING_BYTES,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  };
  const profile = await new Promise<HeapProfiler.SamplingHeapProfile>((resolve, reject) => {
    session.post("HeapProfiler.startSampling", options, () => {
      work().then(() => {
        session.post("HeapProfiler.stopSampling", (_error, stopped) => {
          resolve(stopped.profile);
        });
      }, reject);
    });
  });
  session.disconnect();
  return bytesOf(profile.head);
}

function bytesOf(node: HeapProfiler.SamplingHeapProfileNode): number {
  return node.children.reduce((sum, child) => sum + bytesOf(child), node.selfSize);
}

interface StoreSize {
  readonly rows: Readonly<Record<string, number>>;
  readonly bytes: number;
}

function sizeOf(store: string): StoreSize {
  using db = new DatabaseSync(store);
  const tables = db.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%\\_fts\\_%' ESCAPE '\\'",
  );
  const rows = tables.all().map((row) => {
    const name = String(row["name"]);
    const counted = db.prepare(`SELECT count(*) AS count FROM "${name}"`).get();
    return [name, Number(counted?.["count"])] as const;
  });
  const [count, size, free] = ["page_count", "page_size", "freelist_count"].map((name) =>
    Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]),
  );
  return { rows: Object.fromEntries(rows), bytes: ((count ?? 0) - (free ?? 0)) * (size ?? 0) };
}
