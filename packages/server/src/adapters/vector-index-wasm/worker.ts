import { workerData } from "node:worker_threads";
import { serveThread } from "@steward/kernel/concurrency/worker-thread.js";
import {
  ExactIndex,
  JsKernel,
  type Hit,
  type IndexQuery,
  type IndexSource,
} from "../../memory/index.js";
import { WasmKernel } from "./wasm-kernel.js";
import type { WorkerCalls, WorkerNews, WorkerSettings } from "./worker-protocol.js";

/**
 * The thread that searches, so that scanning hundreds of megabytes does not block the server's
 * event loop. Each request sees the changes before it; consecutive searches are answered together.
 * An error while opening or loading terminates the thread.
 */
const { dimension, source: module } = workerData as WorkerSettings;
const { openIndexSource } = (await import(module.url)) as {
  openIndexSource: (options: unknown) => IndexSource | Promise<IndexSource>;
};
const source = await openIndexSource(module.options);
const wasm = WasmKernel.create(dimension);
const index = new ExactIndex({
  dimension,
  kernel: wasm ?? new JsKernel(dimension),
  source,
  onDamaged: (entryId) => {
    void host.call("damaged", { entryId });
  },
});

/** Maximum number of searches answered together; they share one pass over the codes. */
const SEARCHES_MAX = 16;

/** A queued request. */
interface Turn {
  readonly isSearch: boolean;
  readonly run: () => Promise<void>;
}

const turns: Turn[] = [];
/** Whether requests are being processed. During loading they wait. */
let working = true;

const host = serveThread<WorkerCalls, WorkerNews>(
  {
    add: (entries) => inTurn(false, () => index.add(entries).then(() => undefined)),
    remove: (entryIds) =>
      inTurn(false, () => {
        index.remove(entryIds);
        return undefined;
      }),
    search: (query: IndexQuery): Promise<readonly Hit[]> => inTurn(true, () => index.search(query)),
    stats: (orgId) => inTurn(false, () => index.stats(orgId)),
  },
  () => source.close(),
);
await index.load((entries) => void host.call("loading", { entries }));
void workAll();
void host.call("loaded", {
  entries: index.stats().entries,
  kernel: wasm === undefined ? "js" : "wasm",
});

function inTurn<T>(isSearch: boolean, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const run = (): Promise<void> => Promise.resolve().then(work).then(resolve, reject);
    turns.push({ isSearch, run });
    if (working) return;
    working = true;
    // Wait one turn, so that requests that have already arrived are queued first.
    setImmediate(() => void workAll());
  });
}

async function workAll(): Promise<void> {
  for (let next = takeNext(); next.length > 0; next = takeNext()) {
    await Promise.all(next.map(({ run }) => run()));
  }
  working = false;
}

/** The next request or, if it is a search, this search and the searches that directly follow it. */
function takeNext(): readonly Turn[] {
  const other = turns.findIndex(({ isSearch }) => !isSearch);
  const searches = other === -1 ? turns.length : other;
  return turns.splice(0, Math.max(1, Math.min(searches, SEARCHES_MAX)));
}
