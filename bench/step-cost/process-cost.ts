import { readdirSync, readFileSync } from "node:fs";
import { childrenOf, cpuMs, threadCpuMs } from "../plans/processes.js";

/**
 * Threads that Node starts before it loads a module: for timers of the platform, garbage collection
 * and compiling (four), and signals. They follow the main thread in the order of their ids.
 */
const RUNTIME_THREADS = 6;

/** What a server has used since its start. */
export interface ProcessCost {
  /** CPU time in µs: of the event loop's thread, of Node's own threads, of the program's threads, and of its processes. */
  readonly mainUs: number;
  readonly helpersUs: number;
  readonly threadsUs: number;
  readonly childrenUs: number;
  /** How often a thread of the server or of its processes had waited and was woken. */
  readonly wakeUps: number;
}

/** Reads the counters that the kernel keeps of a process, its threads and its child processes. */
export function costOf(pid: number): ProcessCost {
  const threads = threadsOf(pid);
  const us = threads.map((thread) => threadCpuMs(pid, thread) * 1000);
  const sum = (from: number, until?: number): number =>
    us.slice(from, until).reduce((all, each) => all + each, 0);
  return {
    mainUs: sum(0, 1),
    helpersUs: sum(1, 1 + RUNTIME_THREADS),
    threadsUs: sum(1 + RUNTIME_THREADS),
    // The process's time includes its threads'.
    childrenUs: Math.max(0, cpuMs(pid) * 1000 - sum(0)),
    wakeUps: wakeUpsOf(pid),
  };
}

function wakeUpsOf(pid: number): number {
  const own = threadsOf(pid).map((thread) => {
    const status = readFileSync(`/proc/${String(pid)}/task/${String(thread)}/status`, "utf8");
    return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1] ?? 0);
  });
  return [...own, ...childrenOf(pid).map(wakeUpsOf)].reduce((all, each) => all + each, 0);
}

function threadsOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${String(pid)}/task`)
    .map(Number)
    .sort((a, b) => a - b);
}
