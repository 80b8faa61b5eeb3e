import type { Dialect, EngineRefusal, StatementAnalysis } from "../../../governance/index.js";

/** Requests to a thread: analyze one statement, advise how to repair one, or tell its shape. */
export interface ReadingCalls {
  readonly read: {
    readonly input: { readonly sql: string; readonly dialect: Dialect };
    readonly output: StatementAnalysis;
  };
  readonly advise: {
    readonly input: {
      readonly sql: string;
      readonly dialect: Dialect;
      readonly refusal: EngineRefusal;
    };
    readonly output: readonly string[];
  };
  readonly shape: {
    readonly input: { readonly sql: string; readonly dialect: Dialect };
    readonly output: string | undefined;
  };
}
