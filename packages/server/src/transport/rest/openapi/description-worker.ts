import { workerData } from "node:worker_threads";
import { serveThread } from "@steward/kernel/concurrency/worker-thread.js";
import { describedRoutes } from "../server.js";

/** What the thread is told. */
export interface DescriptionOptions {
  readonly version: string;
}

/** What the thread is asked. */
export interface DescriptionCalls {
  readonly describe: { readonly input: undefined; readonly output: string };
}

/** A thread that describes the routes, which takes a few hundred milliseconds, and ends. */
const { version } = workerData as DescriptionOptions;
serveThread<DescriptionCalls>({ describe: () => describedRoutes(version) });
