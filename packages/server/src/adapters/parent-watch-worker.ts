import { workerData } from "node:worker_threads";

/** How long a child may outlive the server that started it, in ms. */
const CHECK_EVERY_MS = 500;

/** Ends this process when its parent is gone, even in the middle of a statement without end. */
const { parentPid } = workerData as { readonly parentPid: number };
setInterval(() => {
  if (process.ppid !== parentPid) process.kill(process.pid, "SIGKILL");
}, CHECK_EVERY_MS);
