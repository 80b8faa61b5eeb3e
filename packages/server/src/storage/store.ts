import type { ApiKeyStore } from "../identity/ports.js";
import type { ToolCallLog } from "../kernel/tool-call.js";
import type { VectorIndex } from "../memory/index.js";
import type { MemoryStore } from "../memory/ports.js";
import type { CustomerBindings } from "../payments/ports.js";
import type { PlanEngine } from "../plans/index.js";
import type { PolicyStore } from "../policies/ports.js";
import type { Origin } from "@steward/state";
import type { BudgetReservations, UsageStore } from "../usage/ports.js";

/** Everything this service keeps, in one database of any engine. */
export interface Store extends AsyncDisposable {
  readonly plans: PlanEngine;
  readonly toolCalls: ToolCallLog;
  readonly usage: UsageStore;
  readonly customers: CustomerBindings;
  readonly apiKeys: ApiKeyStore;
  readonly policies: PolicyStore;
  readonly memory: MemoryStore;
  /**
   * What the thread of a search index loads and is given, to read the memory for itself, once the store
   * has been told its model.
   */
  readonly memorySource: { readonly url: string; readonly options: unknown };

  /**
   * Has an index follow what other processes that share the store remember and forget; absent where
   * none can. The store has been told its model.
   */
  followMemory?(index: Pick<VectorIndex, "add" | "remove">): Promise<AsyncDisposable>;

  /** Where the state is kept with everything else; absent where it has files of its own. */
  readonly stateOrigin?: Origin;

  /** Absent where one process has the store, and decides on budgets for itself. */
  readonly reservations?: BudgetReservations;

  /**
   * Whether requests that write would succeed, as far as that is known without them.
   * @throws AppError `STORE_UNAVAILABLE` with the reason when the store cannot be read or written to.
   */
  check(): Promise<void>;
}
