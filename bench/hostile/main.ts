import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { residentMegabytes } from "../plans/processes.js";
import { Attacker, hostileRequests, Target } from "./test-modules.js";

/**
 * What hostile requests of one organization cost another one: each is sent to a server while the other organization runs
 * `SELECT 1` again and again.
 *
 *     node bench/dist/hostile/main.js [--quads 50000] [--only TEXT]
 *
 * Lag is the event loop's, as /metrics tells it: how much later than asked for a timer of 10 ms runs, so that 10 is none.
 * The goals are a lag of at most 50 ms for 99 of 100, and 250 ms for `SELECT 1`.
 */
const { values } = parseArgs({
  options: {
    quads: { type: "string", default: "50000" },
    only: { type: "string", default: "" },
  },
});

/** Pause between the other organization's statements, in ms. */
const PROBE_EVERY_MS = 5;

await using target = await Target.start();
const attacker = new Attacker(target.url, "11111111-1111-4111-8111-111111111111");
const neighbour = new Attacker(target.url, "22222222-2222-4222-8222-222222222222");
await neighbour.run("SELECT 1");
for (const { name, prepare, send } of hostileRequests(Number(values.quads))) {
  const isWanted = name.includes(values.only);
  await prepare?.(attacker);
  if (!isWanted) continue;
  await lag();
  const stop = new AbortController();
  const probing = probe(stop.signal);
  await delay(10 * PROBE_EVERY_MS);
  const startMs = performance.now();
  const { status, code } = await send(attacker);
  const tookMs = Math.round(performance.now() - startMs);
  stop.abort();
  const select1Ms = (await probing).toSorted((a, b) => a - b);
  console.log(
    JSON.stringify({
      ...{ name, status, code, tookMs },
      lagMs: await lag(),
      select1Ms: { p50: quantile(select1Ms, 0.5), max: quantile(select1Ms, 1) },
      residentMb: residentMegabytes(target.server.pid),
    }),
  );
}

/** The durations of the other organization's statements, in ms. */
async function probe(signal: AbortSignal): Promise<readonly number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    const startMs = performance.now();
    await neighbour.run("SELECT 1");
    times.push(performance.now() - startMs);
    await delay(PROBE_EVERY_MS);
  }
  return times;
}

/** The event loop's lag since the last call, in ms. */
async function lag(): Promise<Readonly<Record<"p50" | "p99" | "max", number>>> {
  const page = await (await fetch(`${target.url}/metrics`)).text();
  const read = (name: string): number => {
    const line = new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, "m").exec(page);
    return Math.round(1000 * Number(line?.[1]));
  };
  return { p50: read("p50"), p99: read("p99"), max: read("max") };
}

function quantile(sorted: readonly number[], share: number): number {
  const at = Math.min(sorted.length - 1, Math.floor(share * sorted.length));
  return Math.round(sorted[at] ?? 0);
}
