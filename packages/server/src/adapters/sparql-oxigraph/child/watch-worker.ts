import { workerData } from "node:worker_threads";
import type { ProcessSettings } from "../query-protocol.js";

/** How often the process is looked at, in ms: in that time an engine can take some hundred MB. */
const CHECK_EVERY_MS = 100;

/** Ends the process when the server is gone, or when a query takes more memory than it may. */
const { serverPid, memoryBytesMax } = workerData as ProcessSettings;
setInterval(() => {
  const isTooLarge = process.memoryUsage.rss() > memoryBytesMax;
  if (isTooLarge || process.ppid !== serverPid) process.kill(process.pid, "SIGKILL");
}, CHECK_EVERY_MS);
