import { workerData } from "node:worker_threads";
import { serveThread } from "@steward/kernel/concurrency/worker-thread.js";
import { describedRoutes } from "../server.js";

/** Input of the thread. */
export interface DescriptionOptions {
  readonly version: string;
}

/** Requests to the thread. */
export interface DescriptionCalls {
  readonly describe: { readonly input: undefined; readonly output: string };
}

/** A thread that describes the routes, which takes a few hundred milliseconds, and then ends. */
const { version } = workerData as DescriptionOptions;
serveThread<DescriptionCalls>({ describe: () => describedRoutes(version) });
