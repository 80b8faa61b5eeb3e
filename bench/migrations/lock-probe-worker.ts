import { parentPort, workerData } from "node:worker_threads";
import { LockProbe } from "./lock-probe.js";

// Start parameters of the thread.
const { url, table } = workerData as { readonly url: string; readonly table: string };
const probe = new LockProbe(url, table);
await probe.start();
parentPort?.postMessage("ready");
parentPort?.once("message", () => {
  void probe.stop().then((slowestMs) => parentPort?.postMessage(slowestMs));
});
