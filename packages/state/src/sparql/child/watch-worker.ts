import { workerData } from "node:worker_threads";
import type { ProcessSettings } from "../query-protocol.js";

/** Interval of the checks, in ms. An engine can allocate some hundred MB in that time. */
const CHECK_EVERY_MS = 100;

/** Ends the process when the server has died, or when a query exceeds its memory limit. */
const { serverPid, memoryBytesMax } = workerData as ProcessSettings;
setInterval(() => {
  const isTooLarge = process.memoryUsage.rss() > memoryBytesMax;
  if (isTooLarge || process.ppid !== serverPid) process.kill(process.pid, "SIGKILL");
}, CHECK_EVERY_MS);
