import { parentPort, workerData } from "node:worker_threads";
import { describedRoutes } from "../server.js";

/** A thread that describes the routes, which takes a few hundred milliseconds, and ends. */
const { version } = workerData as DescriptionOptions;
parentPort?.postMessage(await describedRoutes(version));

/** What the thread is told. */
export interface DescriptionOptions {
  readonly version: string;
}
