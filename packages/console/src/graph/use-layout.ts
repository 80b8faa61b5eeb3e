import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { graphTexts } from "../texts/graph.js";
import type { Graph, Places } from "./layout.js";

/** The layout of a graph, and the text that identifies the graph. */
export interface Layout {
  readonly shape: string;
  readonly places: Places;
}

/**
 * Lays a graph out in a worker, since 500 nodes take more than half a second. Until the layout has
 * arrived, the one before is the answer. Layouts are cached by what they follow from: a graph whose nodes
 * only change their status is not laid out again.
 */
export function useLayout(graph: Graph): UseQueryResult<Layout> {
  const shape = JSON.stringify(graph);
  return useQuery({
    queryKey: ["layout", shape],
    queryFn: async () => ({ shape, places: await placesOf(graph) }),
    staleTime: "static",
    placeholderData: keepPreviousData,
    // The places are a `Map`, which the comparison with the data before does not know.
    structuralSharing: false,
  });
}

/** Starts with the first graph; the first graph after a failure starts another one. */
let worker: Worker | undefined;

function startWorker(): Worker {
  return new Worker(new URL("./layout-worker.ts", import.meta.url), { type: "module" });
}

function placesOf(graph: Graph): Promise<Places> {
  const current = (worker ??= startWorker());
  const { port1: answer, port2: port } = new MessageChannel();
  const settled = new AbortController();
  const once = { once: true, signal: settled.signal };
  return new Promise<Places>((resolve, reject) => {
    const fail = () => {
      if (worker === current) worker = undefined;
      current.terminate();
      reject(new Error(graphTexts.failed));
    };
    // The script did not arrive, or the layout threw an error.
    current.addEventListener("error", fail, once);
    answer.addEventListener(
      "message",
      ({ data }: MessageEvent<Places>) => {
        resolve(data);
      },
      once,
    );
    answer.start();
    current.postMessage(graph, [port]);
  }).finally(() => {
    settled.abort();
    answer.close();
  });
}
