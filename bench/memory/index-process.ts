import { rowOfEntry } from "./rows.js";
import { silentLog, silentTelemetry, sourceUrl, WorkerVectorIndex } from "./server-modules.js";

/** Orders for a process that runs only the index, so that its memory can be measured. */
export interface IndexOrder {
  readonly path: string;
  readonly dimension: number;
  readonly runs: readonly IndexRun[];
}

/** One kind of search, made with each query in turn. */
export interface IndexRun {
  readonly queries: readonly Float32Array[];
  readonly limit: number;
  readonly orgId?: string;
}

/** Measurements of all runs. */
export interface IndexReport {
  readonly loadMs: number;
  readonly residentBytes: number;
  /** Longest time that the event loop was blocked during the searches, in ms. */
  readonly stallMs: number;
  /** By run, by query. */
  readonly runs: readonly (readonly IndexAnswer[])[];
}

/** One search. */
export interface IndexAnswer {
  readonly ms: number;
  readonly hits: readonly { readonly row: number; readonly score: number }[];
}

process.once("message", (order: IndexOrder) => {
  void report(order).then((answer) => process.send?.(answer, () => process.disconnect()));
});

async function report({ path, dimension, runs }: IndexOrder): Promise<IndexReport> {
  const startedAt = performance.now();
  const settings = { dimension, source: { url: sourceUrl, options: { path } } };
  await using index = new WorkerVectorIndex(settings, silentLog, silentTelemetry);
  await index.stats();
  const loadMs = performance.now() - startedAt;
  const stalls = watchStalls();
  const answers: IndexAnswer[][] = [];
  for (const run of runs) answers.push(await answersOf(index, run));
  const residentBytes = process.memoryUsage.rss();
  return { loadMs, residentBytes, stallMs: stalls(), runs: answers };
}

async function answersOf(
  index: InstanceType<typeof WorkerVectorIndex>,
  { queries, limit, orgId }: IndexRun,
): Promise<IndexAnswer[]> {
  const answers: IndexAnswer[] = [];
  const org = orgId === undefined ? {} : { orgId };
  for (const vector of queries) {
    const startedAt = performance.now();
    const hits = await index.search({ vector, limit, ...org }, new AbortController().signal);
    const ms = performance.now() - startedAt;
    answers.push({
      ms,
      hits: hits.map(({ entryId, score }) => ({ row: rowOfEntry(entryId), score })),
    });
  }
  return answers;
}

/** @returns a function that returns the longest time that the event loop was blocked, in ms. */
function watchStalls(): () => number {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}
