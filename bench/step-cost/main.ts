import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { BenchChild } from "../plans/bench-child.js";
import { postgresStore } from "../plans/postgres-store.js";
import { residentMegabytes } from "../plans/processes.js";
import { BenchServer, createTarget } from "../plans/server.js";
import { sqliteStore } from "../plans/sqlite-store.js";
import type { BenchStore } from "../plans/store.js";
import { fixedTree } from "./fixed-tree.js";
import { costOf, type ProcessCost } from "./process-cost.js";

/**
 * What a step costs, beside a fixed commit: the load of bench/plans runs on the build of this tree and of that
 * commit, in rounds that alternate. A change is never compared with the day before, so no slide stays
 * unseen.
 */
const { values } = parseArgs({
  options: {
    against: { type: "string", default: "8a685f02" },
    engines: { type: "string", default: "sqlite,postgres" },
    plans: { type: "string", default: "16,1" },
    rounds: { type: "string", default: "5" },
  },
});
const PLANS_EACH: Readonly<Record<number, number>> = { 1: 100, 16: 40 };
const WARM_UP = { concurrency: 16, plansEach: 40 };
/** How long a server gets after a round for what follows from its steps, in ms. */
const SETTLE_MS = 2000;
const ALLOCATIONS = fileURLToPath(new URL("./allocations.js", import.meta.url));

interface Side {
  readonly name: string;
  readonly server: BenchServer;
  readonly store: BenchStore;
  readonly dir: string;
}

/** The figures of one round, for each step. */
type Round = Readonly<Record<string, number>>;

const trees = { this: undefined, [values.against]: fixedTree(values.against) };
process.stdout.write(`${String(availableParallelism())} cores, Node ${process.version}\n`);
for (const engine of values.engines.split(",")) await compare(engine);

async function compare(engine: string): Promise<void> {
  const load = BenchChild.load();
  const sides: Side[] = [];
  for (const [name, tree] of Object.entries(trees)) {
    const dir = mkdtempSync(join(tmpdir(), "steward-step-cost-"));
    createTarget(dir);
    const store = engine === "postgres" ? await postgresStore() : sqliteStore(dir);
    const server = await BenchServer.start(dir, store.url, sides.length, {
      ...(tree === undefined ? {} : { tree }),
      fromModules: { preload: ALLOCATIONS },
      settings: { ALLOCATIONS_FILE: allocationsIn(dir) },
    });
    sides.push({ name, server, store, dir });
    await load.order({ kind: "steps", addresses: [server.address], ...WARM_UP });
  }
  for (const plans of values.plans.split(",").map(Number)) {
    const rounds = new Map<string, Round[]>(sides.map(({ name }) => [name, []]));
    for (let count = 0; count < Number(values.rounds); count += 1) {
      // The order alternates, so that growth from round to round affects both sides equally.
      const order = count % 2 === 0 ? sides : sides.toReversed();
      for (const side of order) rounds.get(side.name)?.push(await roundOf(load, side, plans));
    }
    print(engine, plans, rounds);
  }
  load.end();
  for (const { name, server, store, dir } of sides) {
    const text = `${engine} ${name}: ${String(residentMegabytes(server.pid))} MB resident after the run\n`;
    process.stdout.write(text);
    await server.stop();
    await store[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  }
}

async function roundOf(load: BenchChild, side: Side, plans: number): Promise<Round> {
  const order = { kind: "steps", addresses: [side.server.address], concurrency: plans } as const;
  const plansEach = PLANS_EACH[plans] ?? 1;
  const before = await read(side);
  const { calls, seconds, latenciesMs } = await load.order({ ...order, plansEach });
  await delay(SETTLE_MS);
  const after = await read(side);
  const perStep = Object.keys(after).map((name) => {
    const key = name as keyof typeof after;
    return [name, ((after[key] ?? 0) - (before[key] ?? 0)) / calls] as const;
  });
  // Sampling allocations costs time, so it has a round of its own.
  const allocated = await allocatedBy(side, () => load.order({ ...order, plansEach }));
  return {
    "steps/s": calls / seconds,
    "p50 ms": latenciesMs[Math.floor(calls * 0.5)] ?? 0,
    "p99 ms": latenciesMs[Math.floor(calls * 0.99)] ?? 0,
    ...Object.fromEntries(perStep),
    "allocated kB": allocated / calls / 1000,
  };
}

type Reading = ProcessCost & {
  readonly commits: number;
  readonly bytes: number;
  /** CPU time of the store's own processes, in µs. */
  readonly storeUs?: number;
};

async function read({ server, store }: Side): Promise<Reading> {
  const { commits, bytes, cpuMs: storeMs } = await store.counters([server]);
  const storeUs = storeMs === undefined ? {} : { storeUs: storeMs * 1000 };
  return { ...costOf(server.pid), commits, bytes, ...storeUs };
}

async function allocatedBy({ server, dir }: Side, work: () => Promise<unknown>): Promise<number> {
  await signalled(server, dir);
  await work();
  return Number(await signalled(server, dir));
}

/** Begins or ends a sample. @returns the line that the server has written of it. */
async function signalled(server: BenchServer, dir: string): Promise<string> {
  const lines = (): readonly string[] =>
    existsSync(allocationsIn(dir))
      ? readFileSync(allocationsIn(dir), "utf8").trimEnd().split("\n")
      : [];
  const count = lines().length;
  process.kill(server.pid, "SIGUSR2");
  for (;;) {
    const now = lines();
    if (now.length > count) return now.at(-1) ?? "";
    await delay(20);
  }
}

function allocationsIn(dir: string): string {
  return join(dir, "allocations");
}

function print(engine: string, plans: number, rounds: ReadonlyMap<string, readonly Round[]>): void {
  const [own = [], fixed = []] = rounds.values();
  const table = Object.keys(own[0] ?? {}).map((figure) => {
    const of = (side: readonly Round[]): number => median(side.map((round) => round[figure] ?? 0));
    const pairs = own.map((round, at) => (round[figure] ?? 0) / (fixed[at]?.[figure] ?? 0));
    return {
      "a step": figure,
      this: rounded(of(own)),
      [values.against]: rounded(of(fixed)),
      ratio: rounded(median(pairs)),
      "of the rounds": pairs.map(rounded).join(" "),
    };
  });
  process.stdout.write(`\n${engine}, ${String(plans)} plans at once\n`);
  console.table(table);
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
}

function rounded(figure: number): number {
  return Number(figure.toPrecision(3));
}
