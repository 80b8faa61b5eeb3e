import type { ResolveHook } from "node:module";

/** Whose import is replaced: by the last part of the importing module's URL, and the specifier. */
const REPLACED = [
  { importer: "/storage/plan-changes/change-row.js", specifier: "./origin-codec.js" },
  { importer: "/storage/sqlite/store.js", specifier: "./audit/audit-sequence.js" },
];

/** Resolves both to the module that stores nothing. */
export const resolve: ResolveHook = (specifier, context, next) => {
  const isReplaced = REPLACED.some(
    (one) => one.specifier === specifier && context.parentURL?.endsWith(one.importer) === true,
  );
  return isReplaced
    ? next("./unlogged-server.js", { ...context, parentURL: import.meta.url })
    : next(specifier, context);
};
