import type { Dialect, StatementAnalysis } from "../../governance/index.js";

/** Requests to the thread: analyze one statement. */
export interface ReadingCalls {
  readonly read: {
    readonly input: { readonly sql: string; readonly dialect: Dialect };
    readonly output: StatementAnalysis;
  };
}
