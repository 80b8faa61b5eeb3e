import type { AnnouncedToolCall } from "../../governance/index.js";
import type { Clock } from "@steward/kernel/clock.js";
import { sharedResult } from "@steward/kernel/concurrency/shared-result.js";
import { BudgetLedger, type Admission } from "./budgets.js";
import type { BudgetReservations, UsageStore } from "../ports.js";
import { postingOf } from "../posting.js";
import { PriceList } from "../prices/pricing.js";
import type { UsageRecorder } from "../events/recorder.js";
import { chargeOf } from "../events/usage-event.js";

/** Organizations held in memory before idle ones are evicted. */
const ACCOUNTS_MAX = 1000;

/** The ports that decisions on budgets read. */
type BudgetSources = Pick<UsageStore, "reports" | "prices" | "budgets">;

/** The state of one organization in memory. */
interface Account {
  readonly prices: PriceList;
  readonly ledger: BudgetLedger;
}

/**
 * Budget reservations in memory, for a store that only one process uses. Reservations end with the
 * process. Recorded usage is loaded once per window of a budget and updated from then on.
 */
export class LedgerReservations implements BudgetReservations {
  readonly #store: BudgetSources;
  readonly #recorder: UsageRecorder;
  readonly #clock: Clock;
  readonly #accounts = new Map<string, Account | Promise<Account>>();
  readonly #ledgers = new Map<string, BudgetLedger>();

  constructor(store: BudgetSources, recorder: UsageRecorder, clock: Clock) {
    this.#store = store;
    this.#recorder = recorder;
    this.#clock = clock;
    recorder.onRecorded((events) => {
      for (const event of events) {
        const ledger = this.#ledgers.get(event.orgId);
        if (ledger?.hasBudgets === true) ledger.record(event.id, postingOf(event));
        else ledger?.release(event.id);
      }
    });
  }

  reserve(call: AnnouncedToolCall): Admission | Promise<Admission> {
    const account = this.#account(call.orgId);
    return account instanceof Promise
      ? sharedResult(account, call.orgId).then((loaded) => this.#reserve(call, loaded))
      : this.#reserve(call, account);
  }

  #reserve(call: AnnouncedToolCall, { prices, ledger }: Account): Admission | Promise<Admission> {
    const nowMs = this.#clock.nowMs();
    const charge = chargeOf(call, prices, nowMs);
    const unknown = ledger.unknownWindows(charge, nowMs);
    // Nothing may come between the store's last response and the reservation.
    if (unknown.length === 0 && this.#ledgers.get(call.orgId) === ledger) {
      return ledger.reserve(call.eventId, charge, nowMs);
    }
    const reading = this.#recorder.exclusively(async () => {
      for (const window of unknown) {
        ledger.know(window, await this.#store.reports.totalsIn(call.orgId, window));
      }
    });
    return reading.then(() => this.reserve(call));
  }

  release(orgId: string, callId: string): Promise<void> {
    this.#ledgers.get(orgId)?.release(callId);
    return Promise.resolve();
  }

  refresh(orgId: string): void {
    this.#accounts.delete(orgId);
  }

  #account(orgId: string): Account | Promise<Account> {
    const known = this.#accounts.get(orgId);
    if (known !== undefined) return known;
    this.#makeRoom();
    const loading = this.#recorder.exclusively(() => this.#load(orgId));
    this.#accounts.set(orgId, loading);
    loading.then(
      (account) => {
        // The account may have been discarded meanwhile.
        if (this.#accounts.get(orgId) === loading) this.#accounts.set(orgId, account);
      },
      () => this.#accounts.delete(orgId),
    );
    return loading;
  }

  /** Evicts organizations without running calls; they are loaded again when needed. */
  #makeRoom(): void {
    if (this.#accounts.size < ACCOUNTS_MAX) return;
    for (const [orgId, ledger] of this.#ledgers) {
      if (!ledger.idle) continue;
      this.#accounts.delete(orgId);
      this.#ledgers.delete(orgId);
    }
  }

  async #load(orgId: string): Promise<Account> {
    const [prices, budgets] = await Promise.all([
      this.#store.prices.list(orgId),
      this.#store.budgets.list(orgId),
    ]);
    const ledger = new BudgetLedger(budgets, this.#ledgers.get(orgId));
    this.#ledgers.set(orgId, ledger);
    return { prices: new PriceList(prices), ledger };
  }
}
