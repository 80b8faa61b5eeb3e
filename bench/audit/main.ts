import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BenchChild } from "../plans/bench-child.js";
import { Comparison, type Side } from "../plans/comparison.js";
import { BenchServer, createTarget } from "../plans/server.js";

/**
 * What the audit log costs of the steps per second: the load of bench/plans, in turns against two servers of one
 * build.
 *
 *     node bench/dist/audit/main.js [--rounds 10]
 *
 * On: the server as it is. Off: a server that stores no callers beside the changes of plans and makes no records,
 * because that part is replaced; there is no such setting. The goal is at most 5 % more CPU time for a step.
 */
const { values } = parseArgs({ options: { rounds: { type: "string", default: "10" } } });

const dir = mkdtempSync(join(tmpdir(), "steward-bench-"));
createTarget(dir);
const load = BenchChild.load();
const on = await started("on", 0, {});
const off = await started("off", 1, {
  preload: new URL("./without-log.js", import.meta.url).href,
});
const comparison = new Comparison(load, { on, off });
await comparison.warmUp();
process.stdout.write(`${String(availableParallelism())} cores, Node ${process.version}\n`);
for (const concurrency of [16, 1] as const) {
  const row = await comparison.rounds(concurrency, Number(values.rounds));
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
for (const { server } of [on, off]) await server.stop();
load.end();
rmSync(dir, { recursive: true });

async function started(
  name: string,
  node: number,
  fromModules: { readonly preload?: string },
): Promise<Side> {
  const store = `sqlite:${join(dir, `${name}.db`)}`;
  return { server: await BenchServer.start(dir, store, node, { fromModules }) };
}
