import type { AttemptRef, SqlTarget, StatementRequest, StatementResult } from "../plans/ports.js";

/** A data source that some organizations have at a URL of their own: each one's steps run on its own database. */
export class OrganizationTargets implements SqlTarget {
  readonly #shared: SqlTarget;
  readonly #own: ReadonlyMap<string, SqlTarget>;

  /**
   * @param shared what all other organizations use.
   * @param own by organization; all of the shared one's name and dialect.
   */
  constructor(shared: SqlTarget, own: ReadonlyMap<string, SqlTarget>) {
    this.#shared = shared;
    this.#own = own;
  }

  get name(): string {
    return this.#shared.name;
  }

  get dialect(): SqlTarget["dialect"] {
    return this.#shared.dialect;
  }

  run(request: StatementRequest, signal: AbortSignal): Promise<StatementResult> {
    return this.#of(request.attempt).run(request, signal);
  }

  settle(attempt: AttemptRef, sql: string): Promise<StatementResult | undefined> {
    return this.#of(attempt).settle(attempt, sql);
  }

  forget(attempt: AttemptRef): void {
    this.#of(attempt).forget(attempt);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const targets = [this.#shared, ...this.#own.values()];
    await Promise.all(targets.map((target) => target[Symbol.asyncDispose]()));
  }

  #of({ orgId }: AttemptRef): SqlTarget {
    return this.#own.get(orgId) ?? this.#shared;
  }
}
