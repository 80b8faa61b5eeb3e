import { layoutOf, type Graph } from "./layout.js";

// Lays out one graph after the other. Each message has a port of its own for the answer.
self.addEventListener("message", ({ data, ports: [answer] }: MessageEvent<Graph>) => {
  answer?.postMessage(layoutOf(data));
});
