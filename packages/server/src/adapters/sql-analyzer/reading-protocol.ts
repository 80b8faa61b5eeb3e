import type { Dialect, StatementAnalysis } from "../../governance/index.js";

/** Requests to a thread: analyze one statement, or advise how to repair one. */
export interface ReadingCalls {
  readonly read: {
    readonly input: { readonly sql: string; readonly dialect: Dialect };
    readonly output: StatementAnalysis;
  };
  readonly advise: {
    readonly input: {
      readonly sql: string;
      readonly dialect: Dialect;
      /** The engine's message. */
      readonly failure: string;
    };
    readonly output: readonly string[];
  };
}
