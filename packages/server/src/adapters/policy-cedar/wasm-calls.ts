import { setFlagsFromString } from "node:v8";

// V8 11.3 (Node 20) ends the process with "unreachable code" when it gives up an optimized function into which it has
// inlined a call of WebAssembly that answers with an object, as all calls of Cedar do. Two of eight runs of
// bench/policies ended so, and none without the inlining, which counts for nothing beside a decision.
setFlagsFromString("--no-turbo-inline-js-wasm-calls");
