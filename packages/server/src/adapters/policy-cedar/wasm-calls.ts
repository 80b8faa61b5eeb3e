import { setFlagsFromString } from "node:v8";

// Works around a crash of V8 11.3 (Node 20), which aborts with "unreachable code" when it
// deoptimizes a function into which it has inlined a WebAssembly call that returns an object. All
// of Cedar's calls do. Two of eight runs of bench/policies crashed; none did without the inlining,
// whose benefit is negligible compared with a decision.
setFlagsFromString("--no-turbo-inline-js-wasm-calls");
