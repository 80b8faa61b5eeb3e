import type { Dialect, StatementAnalysis } from "../../governance/index.js";

/** What the thread is asked: to read one statement. */
export interface ReadingCalls {
  readonly read: {
    readonly input: { readonly sql: string; readonly dialect: Dialect };
    readonly output: StatementAnalysis;
  };
}
