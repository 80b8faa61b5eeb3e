import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { Attacker } from "./attacker.js";
import type { Probe, ProberTask } from "./prober.js";

/** The program of a {@link Prober}: sends one message when it is ready, and one with all probes at the end. */
// Only a prober starts this program.
const { url, pid, orgId } = JSON.parse(process.argv[2] ?? "") as ProberTask;
const neighbour = new Attacker(url, orgId);
const probes: Probe[] = [];
const stop = new AbortController();
process.once("message", () => stop.abort());

await probe();
process.send?.("ready");
while (!stop.signal.aborted) {
  probes.push(await probe());
  await delay(5);
}
process.send?.(probes, () => process.disconnect());

async function probe(): Promise<Probe> {
  const [loop, own] = [scheduled(pid), scheduled(process.pid)];
  const startMs = performance.now();
  const { status, error } = await neighbour.run("SELECT 1");
  assert.deepEqual({ status, error }, { status: 200, error: "" });
  const durationMs = performance.now() - startMs;
  const [loopAfter, ownAfter] = [scheduled(pid), scheduled(process.pid)];
  return {
    durationMs,
    loopCpuMs: loopAfter.cpuMs - loop.cpuMs,
    delayedMs: loopAfter.delayedMs - loop.delayedMs + (ownAfter.delayedMs - own.delayedMs),
  };
}

/** What the main thread of a process has had from the scheduler since its start. */
function scheduled(processId: number): { readonly cpuMs: number; readonly delayedMs: number } {
  const path = `/proc/${String(processId)}/task/${String(processId)}/schedstat`;
  const [cpuNs = 0, delayedNs = 0] = readFileSync(path, "utf8").split(" ").map(Number);
  return { cpuMs: cpuNs / 1e6, delayedMs: delayedNs / 1e6 };
}
