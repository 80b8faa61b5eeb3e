import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { OperationCaller } from "../kernel/recorded-operation.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Ids } from "@steward/kernel/ids.js";
import { aauWeight } from "./events/aau.js";
import { nanodollarsOf, usdOf } from "./money.js";
import { checkCeiling, parseBudget, type BudgetInput } from "./budgets/budget-input.js";
import { budgetState, type BudgetState } from "./budgets/budget-state.js";
import type { Budget } from "./budgets/budgets.js";
import {
  type ExceededBudget,
  exceededBudgets,
  remainingTexts,
} from "./budgets/exceeded-budgets.js";
import { externalUsage, type ExternalEvent } from "./events/external-event.js";
import { isOperator, organizationOf } from "./named-organization.js";
import {
  organizationReport,
  parseOrganizationReport,
  type OrganizationReport,
  type OrganizationReportParameters,
} from "./reports/organization-report.js";
import { parseInstant, requireDetail } from "./instant.js";
import type { PriceChange, UsageStore } from "./ports.js";
import { parsePrice, type PriceInput } from "./prices/price-input.js";
import { PriceList, setPrice, type Price, type PricedCall } from "./prices/pricing.js";
import { dailyUsage, windowsOf, type DailyUsage } from "./reports/report.js";
import {
  daysOf,
  parseReportQuery,
  type Grouping,
  type ReportParameters,
} from "./reports/report-query.js";
import type { UsageRecorder } from "./events/recorder.js";
import { reprice, type Repriced, type RepriceInput } from "./prices/repricing.js";
import type { HeatCell } from "./reports/rollup.js";
import type { UsageGate } from "./budgets/usage-gate.js";
import type { StorageQuota } from "./storage/storage-quota.js";
import type { StorageReport } from "./storage/stored-bytes.js";
import { verifyTotals, type TotalDifference } from "./reports/verification.js";

/** How long a report waits for the first measurement of an organization, in ms. */
const MEASURED_MS = 5000;

export interface UsageParts {
  readonly store: UsageStore;
  readonly recorder: UsageRecorder;
  /** Notified of each change of prices and budgets. */
  readonly gate: Pick<UsageGate, "refresh">;
  /** Absent: nothing is stored. */
  readonly storage?: Pick<StorageQuota, "report">;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** How many of the reported events were new. */
export interface IngestResult {
  readonly accepted: number;
  readonly duplicates: number;
}

/** The weight and the cost that a tool call would have. */
export interface CallQuote {
  /** Agentic activity units. */
  readonly aau: number;
  /** US dollars; absent: no price applies. */
  readonly costUsd?: number;
}

export interface UsageReport {
  readonly groupBy: Grouping | undefined;
  readonly rows: readonly DailyUsage[];
}

/**
 * Usage of the caller's own organization; only the operator's report covers all organizations.
 * @throws AppError `INVALID_ARGUMENT` naming the parameter; `STORE_UNAVAILABLE`.
 */
export class UsageService {
  readonly #parts: UsageParts;

  constructor(parts: UsageParts) {
    this.#parts = parts;
  }

  /**
   * Daily usage, including every call that had ended when the report was requested (Contract §4.5).
   */
  async daily(caller: Caller, parameters: ReportParameters): Promise<UsageReport> {
    const query = parseReportQuery(parameters);
    await this.#parts.recorder.flush();
    const { reports } = this.#parts.store;
    const windows = windowsOf(await reports.days(caller.orgId, daysOf(query)), query);
    const totals = await reports.totals(caller.orgId, query.groupBy ?? "total", windows);
    return { groupBy: query.groupBy, rows: dailyUsage(windows, totals, query) };
  }

  /** The heat map: all usage by model and intent (Contract §4.5). */
  async heatMap(caller: Caller): Promise<readonly HeatCell[]> {
    await this.#parts.recorder.flush();
    return this.#parts.store.reports.heatMap(caller.orgId);
  }

  /**
   * What the caller's organization stores. Waits for its first measurement, but not for long.
   * @param signal ends the wait.
   */
  async storage({ orgId }: Caller, signal: AbortSignal): Promise<StorageReport> {
    const { storage } = this.#parts;
    if (storage === undefined) return { addedBytes: 0 };
    return storage.report(orgId, AbortSignal.any([signal, AbortSignal.timeout(MEASURED_MS)]));
  }

  /** The usage of each organization, for the operator; paginated. */
  async byOrganization(parameters: OrganizationReportParameters): Promise<OrganizationReport> {
    const page = parseOrganizationReport(parameters);
    await this.#parts.recorder.flush();
    const totals = await this.#parts.store.reports.organizationTotals({
      ...page,
      limit: page.limit + 1,
    });
    return organizationReport(totals, page.limit);
  }

  /**
   * Adds tool calls reported by another system. Each call counts once, however often it is
   * reported.
   */
  async ingest(caller: OperationCaller, events: readonly ExternalEvent[]): Promise<IngestResult> {
    const { store, recorder, ids, clock } = this.#parts;
    const { orgId, operation } = caller;
    return recorder.exclusively(async () => {
      const detailFromMs = await store.reports.detailFromMs(orgId);
      const rowsAt = (prices: readonly Price[]): ReturnType<typeof externalUsage> =>
        externalUsage(events, {
          orgId,
          prices: new PriceList(prices),
          ids,
          nowMs: clock.nowMs(),
          detailFromMs,
        });
      const added = await store.recording.recordExternal(orgId, rowsAt, operation);
      recorder.recorded(added);
      return { accepted: added.length, duplicates: events.length - added.length };
    });
  }

  /** All prices of the caller's organization, or of the one that an operator names. */
  async prices(caller: Caller, named?: string): Promise<readonly Price[]> {
    return this.#parts.store.prices.list(organizationOf(caller, named));
  }

  /** The weight and the cost that tool calls of the caller would have now, in their order. */
  async quote(
    { orgId, ormModel }: Caller,
    calls: readonly Pick<PricedCall, "toolName" | "intent">[],
  ): Promise<readonly CallQuote[]> {
    const prices = new PriceList(await this.#parts.store.prices.list(orgId));
    const occurredAtMs = this.#parts.clock.nowMs();
    return calls.map(({ toolName, intent }) => {
      const aau = aauWeight(intent);
      const call = { toolName, intent, ormModel, aauWeight: aau, occurredAtMs };
      const { cost, priceId } = prices.priceOf(call);
      return { aau, ...(priceId === undefined ? {} : { costUsd: usdOf(cost) }) };
    });
  }

  /**
   * Adds a price. Recorded calls keep their cost. Only operators may set prices, and name the
   * organization that pays them.
   */
  async setPrice(caller: OperationCaller, input: PriceInput): Promise<Price> {
    const { store, recorder, ids, clock, gate } = this.#parts;
    const orgId = organizationOf(caller, input.org_id);
    const price = parsePrice(input, ids.uuid(), clock.nowMs());
    return recorder.exclusively(async () => {
      const { operation } = caller;
      operation?.tell({ subject: price.id, detail: { of: orgId } });
      const changed = (prices: readonly Price[]): PriceChange => setPrice(prices, price);
      const change = await store.prices.change(orgId, changed, operation);
      gate.refresh(orgId);
      return change.added;
    });
  }

  /**
   * Applies the current price list to recorded usage by adding corrections. Only operators may do
   * so.
   */
  async reprice(caller: Caller, input: RepriceInput): Promise<Repriced> {
    const { store, recorder, ids, clock, gate } = this.#parts;
    const orgId = organizationOf(caller, input.org_id);
    return recorder.exclusively(async () => {
      const detailFromMs = await store.reports.detailFromMs(orgId);
      requireDetail("from", parseInstant("from", input.from), detailFromMs);
      const repriced = await reprice(store.ledgers, orgId, input, ids, clock.nowMs());
      gate.refresh(orgId);
      return repriced;
    });
  }

  /**
   * The organization's budgets and their usage; for budgets per session, the usage of the caller's
   * session.
   */
  async budgets(caller: Caller, named?: string): Promise<readonly BudgetState[]> {
    return this.#budgets(organizationOf(caller, named), caller.sessionId);
  }

  /**
   * The budgets that do not cover calls with these quotes in a session, beside what is recorded by
   * now. Nothing is reserved.
   */
  async exceededBudgets(
    { orgId }: Caller,
    sessionId: string,
    quotes: readonly CallQuote[],
  ): Promise<readonly ExceededBudget[]> {
    const aau = quotes.reduce((sum, quote) => sum + quote.aau, 0);
    const cost = quotes.reduce((sum, { costUsd = 0 }) => sum + nanodollarsOf(costUsd), 0n);
    return exceededBudgets(await this.#budgets(orgId, sessionId), { aau, cost });
  }

  /** What is left of the budgets that bound the caller's calls, in sentences; absent: there are none. */
  async remainingBudgets({ orgId, sessionId }: Caller): Promise<readonly string[] | undefined> {
    const texts = remainingTexts(await this.#budgets(orgId, sessionId));
    return texts.length === 0 ? undefined : texts;
  }

  async #budgets(orgId: string, sessionId: string | undefined): Promise<readonly BudgetState[]> {
    const { store, recorder, clock } = this.#parts;
    await recorder.flush();
    const asked = { sessionId, nowMs: clock.nowMs() };
    const states: BudgetState[] = [];
    // Sequential on purpose: the list may be long, and nobody is in a hurry for it.
    for (const budget of await store.budgets.list(orgId)) {
      states.push(await budgetState(store.reports, orgId, budget, asked));
    }
    return states;
  }

  /**
   * Sets a budget, replacing one with the same scope, unit, period and action. An operator's budget
   * can only be changed by operators, and bounds the organization's own budgets.
   */
  async setBudget(caller: OperationCaller, input: BudgetInput): Promise<Budget> {
    const { store, recorder, ids, gate } = this.#parts;
    const orgId = organizationOf(caller, input.org_id);
    const setBy = isOperator(caller) ? "operator" : "organization";
    const budget = parseBudget(input, ids.uuid(), setBy);
    return recorder.exclusively(async () => {
      // An operator may set a budget concurrently on another server. Both budgets are then enforced
      // for each call.
      checkCeiling(budget, await store.budgets.list(orgId));
      caller.operation?.tell({ subject: budget.id, detail: { of: orgId } });
      await store.budgets.save(orgId, budget, caller.operation);
      gate.refresh(orgId);
      return budget;
    });
  }

  /**
   * @throws AppError `NOT_FOUND` when the organization has no such budget; `POLICY_DENIED` for an
   * operator's budget.
   */
  async removeBudget(caller: OperationCaller, budgetId: string, named?: string): Promise<void> {
    const { store, recorder, gate } = this.#parts;
    const orgId = organizationOf(caller, named);
    await recorder.exclusively(async () => {
      const budget = (await store.budgets.list(orgId)).find(({ id }) => id === budgetId);
      if (budget?.setBy === "operator" && !isOperator(caller)) {
        throw new AppError(
          "POLICY_DENIED",
          "This budget is the operator's; only the role operator can remove it",
        );
      }
      if (!(await store.budgets.delete(orgId, budgetId, caller.operation))) {
        throw new AppError("NOT_FOUND", "The organization has no budget with this id");
      }
      gate.refresh(orgId);
    });
  }

  /** Compares stored totals with the usage rows, and optionally repairs them. */
  async verify(
    caller: Caller,
    options: { readonly repair: boolean },
  ): Promise<readonly TotalDifference[]> {
    const { store, recorder } = this.#parts;
    return recorder.exclusively(() => verifyTotals(store, caller.orgId, options));
  }
}
