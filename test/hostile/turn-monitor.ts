import { appendFileSync, openSync, readSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/**
 * Loaded into a server before its program: writes down the processor time of each long turn of its
 * event loop. A timer of 1 ms runs once in each turn that lasts longer, so the time between two of
 * its calls is that of one turn. Processor time does not count what other processes of the machine
 * take.
 */
const path = process.env["TURN_LOG"];
/** Shorter turns are not written down, in ms. */
const TURN_MS_MIN = 5;

// The variable of the environment that loads this module is inherited by threads and processes.
if (path !== undefined && isMainThread && process.argv[1]?.endsWith("steward.js") === true) {
  const file = openSync(`/proc/self/task/${String(process.pid)}/schedstat`, "r");
  const bytes = Buffer.alloc(64);
  const spentMs = (): number => {
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return Number(bytes.toString("latin1", 0, length).split(" ")[0]) / 1e6;
  };
  let lastMs = spentMs();
  setInterval(() => {
    const nowMs = spentMs();
    if (nowMs - lastMs >= TURN_MS_MIN) appendFileSync(path, `${(nowMs - lastMs).toFixed(1)}\n`);
    lastMs = spentMs();
  }, 1).unref();
}
