import { appendFileSync } from "node:fs";
import { Session, type HeapProfiler } from "node:inspector";
import { isMainThread } from "node:worker_threads";

/**
 * Loaded into a server before its program: between two SIGUSR2 it samples what the main thread
 * allocates, also what is collected at once, and appends the bytes to the file that
 * ALLOCATIONS_FILE names.
 */
const SAMPLING_BYTES = 16_384;

const file = process.env["ALLOCATIONS_FILE"];
if (isMainThread && file !== undefined) {
  const session = new Session();
  session.connect();
  let isSampling = false;
  process.on("SIGUSR2", () => {
    if (isSampling) {
      session.post("HeapProfiler.stopSampling", (_error, { profile }) => {
        appendFileSync(file, `${String(bytesOf(profile.head))}\n`);
      });
    } else {
      const options = {
        samplingInterval: SAMPLING_BYTES,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true,
      };
      session.post("HeapProfiler.startSampling", options, () => {
        appendFileSync(file, "began\n");
      });
    }
    isSampling = !isSampling;
  });
}

function bytesOf(node: HeapProfiler.SamplingHeapProfileNode): number {
  return node.children.reduce((sum, child) => sum + bytesOf(child), node.selfSize);
}
