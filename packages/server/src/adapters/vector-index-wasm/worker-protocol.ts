import type { Hit, IndexEntry, IndexQuery, IndexStats } from "../../memory/index.js";

/**
 * The source that the thread opens. The thread imports a module, because an open source cannot be
 * sent to it.
 */
export interface SourceModule {
  /** URL of a module that exports `openIndexSource(options)`, see {@link OpenIndexSource}. */
  readonly url: string;
  /** Options as plain data. */
  readonly options: unknown;
}

/** Start parameters of the thread. */
export interface WorkerSettings {
  readonly dimension: number;
  readonly source: SourceModule;
}

/** Requests to the thread, with their responses. */
export interface WorkerCalls {
  readonly add: { readonly input: readonly IndexEntry[]; readonly output: undefined };
  readonly remove: { readonly input: readonly string[]; readonly output: undefined };
  readonly search: { readonly input: IndexQuery; readonly output: readonly Hit[] };
  readonly stats: { readonly input: string | undefined; readonly output: IndexStats };
}

/** Notifications from the thread. */
export interface WorkerNews {
  /** This many entries of the source are in the index by now. */
  readonly loading: { readonly input: { readonly entries: number }; readonly output: undefined };
  /** Every entry of the source is in the index. */
  readonly loaded: {
    readonly input: { readonly entries: number; readonly kernel: "wasm" | "js" };
    readonly output: undefined;
  };
  /** An entry is missing from the index because its stored vector is damaged. */
  readonly damaged: { readonly input: { readonly entryId: string }; readonly output: undefined };
}
