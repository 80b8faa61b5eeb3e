import { readFileSync } from "node:fs";

/** Length of a tick of the kernel's CPU accounting, in ms. */
const TICK_MS = 10;

/** Resident set of a process and its children, in MB. */
export function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  const own = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
  return Math.round(childrenOf(pid).reduce((sum, child) => sum + residentMegabytes(child), own));
}

/** CPU time of a process and its children, including ended ones, in ms. */
export function cpuMs(pid: number): number {
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = statOf(String(pid))
    .slice(11, 15)
    .map(Number);
  const own = (utime + stime + cutime + cstime) * TICK_MS;
  return childrenOf(pid).reduce((sum, child) => sum + cpuMs(child), own);
}

/** CPU time of one thread of a process, in ms. */
export function threadCpuMs(pid: number, thread: number): number {
  const [utime = 0, stime = 0] = statOf(`${String(pid)}/task/${String(thread)}`)
    .slice(11, 13)
    .map(Number);
  return (utime + stime) * TICK_MS;
}

/** The id of the parent process. */
export function parentOf(pid: number): number {
  return Number(statOf(String(pid))[1]);
}

/** The fields of /proc's stat after the process name, which may contain spaces. */
function statOf(path: string): readonly string[] {
  const stat = readFileSync(`/proc/${path}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Ids of the child processes. */
export function childrenOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, "utf8");
  return children
    .split(" ")
    .filter((child) => child !== "")
    .map(Number);
}
