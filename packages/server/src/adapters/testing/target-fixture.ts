import type { ColumnType, SqlTarget } from "../../plans/ports.js";

export const COUNT_USERS = "SELECT count(*) AS n FROM users";
export const TWO_USERS = { outputJson: '[{"n":2}]' };

/**
 * A data source of its own: `users (id integer primary key, name text not null)` with Ada, 1, and Bo,
 * 2, and an empty `log (line text not null)`.
 */
export interface TargetFixture extends AsyncDisposable {
  readonly target: SqlTarget;
  /** The n-th parameter as the dialect writes it, from 1. */
  readonly parameter: (number: number) => string;
  /** Statements without end. */
  readonly endlessRead: string;
  readonly endlessWrite: string;
  /** What is recorded of the columns `id` and `name` of `users`. */
  readonly columnTypes: readonly ColumnType[];
  /** What is in `log`, past the service. */
  lines(): Promise<readonly string[]>;
}
