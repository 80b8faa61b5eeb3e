import type { Dialect, StatementAnalysis } from "../../governance/index.js";

/** What the thread is asked: to read one statement. */
export interface ReadingRequest {
  readonly id: number;
  readonly sql: string;
  readonly dialect: Dialect;
}

/** What it made of it. */
export interface ReadingReply {
  readonly id: number;
  readonly analysis: StatementAnalysis;
}
