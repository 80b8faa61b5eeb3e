import { parseArgs } from "node:util";

/** Sixteen plans first, because the first run includes time in the interpreter. */
const LOADS = [
  { concurrency: 16, plansEach: 10 },
  { concurrency: 1, plansEach: 40 },
];
const WARM_UP_PLANS = 3;

/**
 * Lets the systems take turns, and prints the medians and the steps a second of each round.
 * @param systems functions by the system's name, which run an order and return what {@link load} does; `cpuUs` is
 * absent for a system in another process.
 */
export async function compare(systems) {
  const { values } = parseArgs({ options: { rounds: { type: "string", default: "3" } } });
  const width = Math.max(...Object.keys(systems).map((name) => name.length));
  for (const order of LOADS) {
    const results = Object.fromEntries(Object.keys(systems).map((name) => [name, []]));
    for (const run of Object.values(systems)) await run({ ...order, plansEach: WARM_UP_PLANS });
    for (let round = 0; round < Number(values.rounds); round += 1) {
      for (const [name, run] of Object.entries(systems)) results[name].push(await run(order));
    }
    process.stdout.write(`${order.concurrency} plans at once, steps a second\n`);
    for (const [name, each] of Object.entries(results)) {
      const rates = each.map(({ rate }) => rate);
      const cpu = each.flatMap(({ cpuUs }) => cpuUs ?? []);
      const time = cpu.length === 0 ? "" : `  ${median(cpu)} µs of processor time a step`;
      const rate = String(median(rates)).padStart(6);
      process.stdout.write(`  ${name.padEnd(width)} ${rate}  (${rates.join(", ")})${time}\n`);
    }
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
