import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../../kernel/assert.js";
import { AppError } from "../../kernel/errors.js";
import { ExactIndex, JsKernel, type IndexSource } from "../../memory/index.js";
import { WasmKernel } from "./wasm-kernel.js";
import type { WorkerMessage, WorkerRequest, WorkerSettings } from "./worker-protocol.js";

/**
 * The thread that searches: reading hundreds of megabytes never holds up the event loop. Each request
 * sees what came before it; searches that stand in a row are answered together. A failure to open or
 * to load ends it.
 */
const { dimension, source: module } = workerData as WorkerSettings;
const port = parentPort;
assert(port !== null, "the index worker runs in a worker thread");

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
    post({ kind: "damaged", entryId });
  },
});
await index.load();
post({
  kind: "loaded",
  entries: index.stats().entries,
  kernel: wasm === undefined ? "js" : "wasm",
});

/** Searches answered together, at most: they share a pass over the codes. */
const SEARCHES_MAX = 16;

const requests: WorkerRequest[] = [];
let working = false;
port.on("message", (request: WorkerRequest) => {
  requests.push(request);
  if (working) return;
  working = true;
  // Whatever else has arrived by now is heard first.
  setImmediate(() => void work());
});

async function work(): Promise<void> {
  for (;;) {
    const next = takeNext();
    if (next.length === 0) break;
    await Promise.all(next.map(handle));
  }
  working = false;
}

/** The next request or, when that is a search, the searches that follow it directly, too. */
function takeNext(): readonly WorkerRequest[] {
  const other = requests.findIndex((request) => request === "close" || request.call !== "search");
  const searches = other === -1 ? requests.length : other;
  return requests.splice(0, Math.max(1, Math.min(searches, SEARCHES_MAX)));
}

async function handle(request: WorkerRequest): Promise<void> {
  if (request === "close") {
    await source.close();
    port?.close();
    return;
  }
  try {
    post({ kind: "answered", id: request.id, output: await answer(request) });
  } catch (error) {
    const { code, message, cause } = AppError.from(error);
    post({ kind: "failed", id: request.id, code, message, cause: String(cause) });
  }
}

async function answer(request: Exclude<WorkerRequest, "close">): Promise<unknown> {
  switch (request.call) {
    case "add":
      return index.add(request.input);
    case "remove":
      index.remove(request.input);
      return undefined;
    case "search":
      return index.search(request.input);
    case "stats":
      return index.stats(request.input);
  }
}

function post(message: WorkerMessage): void {
  port?.postMessage(message);
}
