import { randomUUID } from "node:crypto";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { STEPS } from "./workload.js";

/** One node for each step; the graph stops after each node, and the caller resumes it. */
export function startLangGraph(saver, read) {
  const State = Annotation.Root({ id: Annotation(), row: Annotation() });
  const names = Array.from({ length: STEPS }, (_, n) => `step-${n}`);
  const graph = new StateGraph(State);
  for (const name of names) {
    graph.addNode(name, async ({ id }) => {
      const { row, next } = await read(id);
      return { id: next, row };
    });
  }
  [START, ...names].forEach((name, n) => graph.addEdge(name, names[n] ?? END));
  const app = graph.compile({ checkpointer: saver, interruptAfter: "*" });
  return {
    async onePlan() {
      const config = { configurable: { thread_id: randomUUID() } };
      for (let n = 0; n < STEPS; n += 1) await app.invoke(n === 0 ? { id: 1 } : null, config);
    },
  };
}
