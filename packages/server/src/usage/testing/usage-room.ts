import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publishToolCalls } from "../../governance/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import { systemClock, type Clock } from "@steward/kernel/clock.js";
import { EventBus } from "../../kernel/event-bus.js";
import { systemIds } from "@steward/kernel/ids.js";
import { silentLog } from "@steward/kernel/log.js";
import { silentTelemetry } from "../../kernel/telemetry.js";
import type { AuditEvents } from "../../kernel/tool-call.js";
import { openSqliteStore, type SqliteStore } from "../../storage/sqlite/store.js";
import { LedgerReservations, UsageGate, UsageRecorder, UsageService } from "../index.js";

/** The organization of {@link admin}. */
export const ORG: string = "11111111-1111-4111-8111-111111111111";

/** A billing admin of an organization. */
export function admin(orgId: string = ORG): Caller {
  return { ...ADMIN, orgId };
}

/** An operator who belongs to this organization. */
export function operator(orgId: string = ORG): Caller {
  return { ...ADMIN, orgId, roles: ["operator"] };
}

/** The usage services as composed in the product, over a store of their own. */
export class UsageRoom implements AsyncDisposable {
  readonly path: string;
  readonly store: SqliteStore;
  readonly bus: EventBus<AuditEvents>;
  readonly recorder: UsageRecorder;
  readonly gate: UsageGate;
  readonly service: UsageService;
  readonly #publisher: Disposable;
  readonly #directory: string | undefined;
  #closed = false;

  private constructor(
    path: string,
    directory: string | undefined,
    store: SqliteStore,
    bus: EventBus<AuditEvents>,
    publisher: Disposable,
    clock: Clock,
  ) {
    this.path = path;
    this.#directory = directory;
    this.store = store;
    this.bus = bus;
    this.#publisher = publisher;
    this.recorder = new UsageRecorder(store.usage.recording, bus, silentLog);
    const reservations = new LedgerReservations(store.usage, this.recorder, clock);
    this.gate = new UsageGate(reservations, this.recorder, silentLog);
    const { recorder, gate } = this;
    const ids = systemIds(clock);
    this.service = new UsageService({ store: store.usage, recorder, gate, clock, ids });
  }

  /** Closes the store while it is in use, as in a crash. */
  async closeStore(): Promise<void> {
    this.#closed = true;
    await this.store[Symbol.asyncDispose]();
  }

  /** @param path a store to reopen; absent: a new one, which is deleted at the end. */
  static async open(clock: Clock = systemClock, path?: string): Promise<UsageRoom> {
    const directory =
      path === undefined ? mkdtempSync(join(tmpdir(), "steward-usage-room-")) : undefined;
    const file = path ?? join(directory ?? "", "store.db");
    const store = openSqliteStore(file, clock, silentTelemetry);
    const bus = new EventBus<AuditEvents>(silentLog);
    const publisher = await publishToolCalls(store.toolCalls, bus);
    return new UsageRoom(file, directory, store, bus, publisher, clock);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#publisher[Symbol.dispose]();
    await this.recorder[Symbol.asyncDispose]();
    if (!this.#closed) await this.closeStore();
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true });
  }
}
