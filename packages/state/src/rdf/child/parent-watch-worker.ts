import { workerData } from "node:worker_threads";

/** How long a child process may outlive its server, in ms. */
const CHECK_EVERY_MS = 500;

/** Exits this process when its parent has died, even during an endless statement. */
const { parentPid } = workerData as { readonly parentPid: number };
setInterval(() => {
  if (process.ppid !== parentPid) process.kill(process.pid, "SIGKILL");
}, CHECK_EVERY_MS);
