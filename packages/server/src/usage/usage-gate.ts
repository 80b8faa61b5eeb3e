import type { Clock } from "../kernel/clock.js";
import { AppError } from "../kernel/errors.js";
import type { Log } from "../kernel/log.js";
import type { AnnouncedToolCall, ToolCallGate } from "../governance/index.js";
import { aauWeight } from "./aau.js";
import { BudgetLedger, type Charge } from "./budgets.js";
import type { UsageStore } from "./ports.js";
import { postingOf } from "./posting.js";
import { PriceList } from "./pricing.js";
import type { UsageRecorder } from "./recorder.js";
import { pricedCallOf } from "./usage-event.js";

/** Organizations kept in memory before idle ones make room. */
const ACCOUNTS_MAX = 1000;

/** What is kept in memory of one organization. */
interface Account {
  readonly prices: PriceList;
  readonly ledger: BudgetLedger;
}

/** Admits tool calls while their organization's budgets cover them and they can be recorded. */
export class UsageGate implements ToolCallGate {
  readonly #store: UsageStore;
  readonly #recorder: UsageRecorder;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #accounts = new Map<string, Promise<Account>>();
  readonly #ledgers = new Map<string, BudgetLedger>();

  constructor(store: UsageStore, recorder: UsageRecorder, clock: Clock, log: Log) {
    this.#store = store;
    this.#recorder = recorder;
    this.#clock = clock;
    this.#log = log;
    recorder.onRecorded((events) => {
      for (const event of events) {
        this.#ledgers.get(event.orgId)?.record(event.id, postingOf(event));
      }
    });
  }

  async admit(call: AnnouncedToolCall): Promise<readonly string[]> {
    this.#recorder.checkRoom();
    for (;;) {
      const account = await this.#account(call.orgId);
      const nowMs = this.#clock.nowMs();
      const charge = chargeOf(call, account.prices, nowMs);
      const unknown = account.ledger.unknownWindows(charge, nowMs);
      // Between the last answer of the store and the reservation nothing may be awaited.
      if (unknown.length === 0 && this.#ledgers.get(call.orgId) === account.ledger) {
        return this.#reserve(account.ledger, call, charge, nowMs);
      }
      await this.#recorder.exclusively(async () => {
        for (const window of unknown) {
          account.ledger.know(window, await this.#store.totalsIn(call.orgId, window));
        }
      });
    }
  }

  release(call: Pick<AnnouncedToolCall, "orgId" | "eventId">): void {
    this.#ledgers.get(call.orgId)?.release(call.eventId);
  }

  /** Has the organization's prices and budgets read anew. Called in the turn that changed them. */
  refresh(orgId: string): void {
    this.#accounts.delete(orgId);
  }

  #reserve(
    ledger: BudgetLedger,
    call: AnnouncedToolCall,
    charge: Charge,
    nowMs: number,
  ): readonly string[] {
    const admission = ledger.reserve(call.eventId, charge, nowMs);
    if (admission.kind === "refused") {
      const { message, retryAfterMs } = admission;
      throw new AppError("QUOTA_EXCEEDED", message, { retryAfterMs });
    }
    for (const warning of admission.warnings) {
      this.#log.warn({ orgId: call.orgId, sessionId: call.sessionId, warning }, "budget exceeded");
    }
    return admission.warnings;
  }

  #account(orgId: string): Promise<Account> {
    let account = this.#accounts.get(orgId);
    if (account === undefined) {
      this.#makeRoom();
      account = this.#recorder.exclusively(() => this.#load(orgId));
      this.#accounts.set(orgId, account);
      account.catch(() => this.#accounts.delete(orgId));
    }
    return account;
  }

  /** An organization with no call under way can be read again when it comes back. */
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
      this.#store.prices(orgId),
      this.#store.budgets(orgId),
    ]);
    const ledger = new BudgetLedger(budgets, this.#ledgers.get(orgId));
    this.#ledgers.set(orgId, ledger);
    return { prices: new PriceList(prices), ledger };
  }
}

function chargeOf(call: AnnouncedToolCall, prices: PriceList, nowMs: number): Charge {
  return {
    sessionId: call.sessionId,
    aau: aauWeight(call.intent),
    cost: prices.priceOf(pricedCallOf(call, nowMs)).cost,
  };
}
