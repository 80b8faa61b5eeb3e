import type { ResolveHook } from "node:module";

/** Gives the official suite another module as its `fs`. */
export const resolve: ResolveHook = (specifier, context, nextResolve) =>
  specifier === "fs" && context.parentURL?.includes("/@modelcontextprotocol/conformance/") === true
    ? { url: new URL("fs-with-glob.js", import.meta.url).href, shortCircuit: true }
    : nextResolve(specifier, context);
