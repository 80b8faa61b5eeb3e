import type { AuditArchive, AuditSequence } from "../audit/ports.js";
import type { CosignatureStore } from "../audit/witnesses/index.js";
import type { AuditExportStore } from "../audit-export/ports.js";
import type { ApprovalIndex } from "../approvals/ports.js";
import type { ApiKeyStore, BrowserSessionStore } from "../identity/ports.js";
import type { ToolCallLog } from "../kernel/tool-call.js";
import type { VectorIndex } from "../memory/index.js";
import type { MemoryStore } from "../memory/ports.js";
import type { CustomerBindings } from "../payments/ports.js";
import type { PlanEngine } from "../plans/index.js";
import type { PolicyStore } from "../policies/ports.js";
import type { Origin } from "@steward/state/ports";
import type { StoreStatusReader } from "../system/ports.js";
import type { WebhookStore } from "../webhooks/ports.js";
import type {
  ErasedPlanNames,
  ErasedRows,
  ErasureStore,
  ExpiredRows,
  RetentionStore,
} from "../retention/ports.js";
import type { BudgetReservations, StorageMeter, UsageStore } from "../usage/ports.js";

/** The audit log: the way of facts into its tree, and its reads. */
export interface AuditStore {
  readonly sequence: AuditSequence;
  readonly archive: AuditArchive;
  /** How far it was exported. */
  readonly exported: AuditExportStore;
  /** What witnesses have cosigned. */
  readonly cosignatures: CosignatureStore;
}

/** The service's whole store, on any engine. */
export interface Store extends AsyncDisposable {
  readonly plans: PlanEngine;
  readonly approvals: ApprovalIndex;
  readonly toolCalls: ToolCallLog;
  readonly usage: UsageStore;
  readonly customers: CustomerBindings;
  readonly apiKeys: ApiKeyStore;
  readonly browserSessions: BrowserSessionStore;
  readonly policies: PolicyStore;
  readonly audit: AuditStore;
  readonly memory: MemoryStore;
  readonly retention: RetentionStore;
  readonly expired: ExpiredRows;
  readonly webhooks: WebhookStore;
  readonly erasures: ErasureStore;
  readonly erased: ErasedRows;
  readonly erasedPlanNames: ErasedPlanNames;
  readonly meter: StorageMeter;
  readonly status: StoreStatusReader;
  /**
   * The module and options with which the thread of a search index reads the memory by itself.
   * Available once the store has its model.
   */
  readonly memorySource: { readonly url: string; readonly options: unknown };

  /**
   * Makes an index follow the additions and deletions of other processes that share the store;
   * absent where the store has only one process. The store must have its model.
   */
  followMemory?(index: Pick<VectorIndex, "add" | "remove">): Promise<AsyncDisposable>;

  /**
   * The origin of the state when it is in the same database; absent when the state has its own
   * files.
   */
  readonly stateOrigin?: Origin;

  /** Absent where one process owns the store and decides on budgets by itself. */
  readonly reservations?: BudgetReservations;

  /**
   * Checks whether write requests would succeed, as far as can be told without one.
   * @throws AppError `STORE_UNAVAILABLE` with the reason when the store cannot be read or written.
   */
  check(): Promise<void>;
}
