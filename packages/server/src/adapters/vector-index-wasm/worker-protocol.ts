import type { ErrorCode } from "@steward/protocol";
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

/** The name of a call. */
export type CallName = keyof WorkerCalls;

/** To the thread. `close` is not answered: the thread ends. */
export type WorkerRequest =
  | {
      readonly [Name in CallName]: {
        readonly id: number;
        readonly call: Name;
        readonly input: WorkerCalls[Name]["input"];
      };
    }[CallName]
  | "close";

/** From the thread. */
export type WorkerMessage =
  /** Every entry of the source is in the index. */
  | { readonly kind: "loaded"; readonly entries: number; readonly kernel: "wasm" | "js" }
  | { readonly kind: "damaged"; readonly entryId: string }
  | { readonly kind: "answered"; readonly id: number; readonly output: unknown }
  | {
      readonly kind: "failed";
      readonly id: number;
      readonly code: ErrorCode;
      readonly message: string;
      /** For the log. */
      readonly cause: string;
    };
