import type { Hit, IndexEntry, IndexQuery, IndexStats } from "../../memory/index.js";

/** Which source the thread opens: what cannot be sent to it is loaded there. */
export interface SourceModule {
  /** URL of a module that exports `openIndexSource(options)`, see {@link OpenIndexSource}. */
  readonly url: string;
  /** Plain data. */
  readonly options: unknown;
}

/** What the thread is started with. */
export interface WorkerSettings {
  readonly dimension: number;
  readonly source: SourceModule;
}

/** What each kind of request carries, and what it is answered with. */
export interface WorkerCalls {
  readonly add: { readonly input: readonly IndexEntry[]; readonly output: undefined };
  readonly remove: { readonly input: readonly string[]; readonly output: undefined };
  readonly search: { readonly input: IndexQuery; readonly output: readonly Hit[] };
  readonly stats: { readonly input: string | undefined; readonly output: IndexStats };
}

/** What the thread says without being asked. */
export interface WorkerNews {
  /** Every entry of the source is in the index. */
  readonly loaded: {
    readonly input: { readonly entries: number; readonly kernel: "wasm" | "js" };
    readonly output: undefined;
  };
  /** An entry is left out of the index: its stored vector is damaged. */
  readonly damaged: { readonly input: { readonly entryId: string }; readonly output: undefined };
}
