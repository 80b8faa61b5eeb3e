import type {
  AttemptRef,
  DescribedStatement,
  MarkedSource,
  SqlTarget,
  StatementPreview,
  StatementRequest,
  StatementResult,
  StatementToDescribe,
  StatementToPreview,
} from "../../plans/ports.js";

/**
 * A data source with separate databases for some organizations. An organization's steps run on its
 * own database, if it has one.
 */
export class OrganizationTargets implements SqlTarget, MarkedSource {
  readonly #shared: SqlTarget & MarkedSource;
  readonly #own: ReadonlyMap<string, SqlTarget & MarkedSource>;

  /**
   * @param shared used by all other organizations.
   * @param own by organization; they must have the shared target's name and dialect.
   */
  constructor(
    shared: SqlTarget & MarkedSource,
    own: ReadonlyMap<string, SqlTarget & MarkedSource>,
  ) {
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

  describe(statement: StatementToDescribe, signal: AbortSignal): Promise<DescribedStatement> {
    return this.#of(statement.caller).describe(statement, signal);
  }

  preview(statement: StatementToPreview, signal: AbortSignal): Promise<StatementPreview> {
    return this.#of(statement.caller).preview(statement, signal);
  }

  settle(attempt: AttemptRef, sql: string): Promise<StatementResult | undefined> {
    return this.#of(attempt).settle(attempt, sql);
  }

  forget(attempt: AttemptRef): void {
    this.#of(attempt).forget(attempt);
  }

  deleteMarkers(orgId: string, planIds: readonly string[]): Promise<void> {
    return this.#of({ orgId }).deleteMarkers(orgId, planIds);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const targets = [this.#shared, ...this.#own.values()];
    await Promise.all(targets.map((target) => target[Symbol.asyncDispose]()));
  }

  #of({ orgId }: Pick<AttemptRef, "orgId">): SqlTarget & MarkedSource {
    return this.#own.get(orgId) ?? this.#shared;
  }
}
