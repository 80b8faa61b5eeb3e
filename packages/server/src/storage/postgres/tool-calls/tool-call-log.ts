import type { Unsubscribe } from "../../../kernel/event-bus.js";
import type { RecordedListener, ToolCallLog, ToolCallRecord } from "../../../kernel/tool-call.js";
import type { PlanRef } from "../../../plans/ports.js";
import { byOrganization } from "../../by-organization.js";
import { readUnread } from "./unread-calls.js";
import type { Database } from "../database.js";
import type { UnreadPlans } from "./unread-plans.js";

/** Plans whose calls are replayed at once. */
const PLANS_MAX = 50;
/** Maximum number of calls replayed for those plans. */
const REPLAYED_MAX = 1000;

/** The tool calls that this node records, and those of dead nodes that it takes over. */
export class PostgresToolCallLog implements ToolCallLog {
  readonly #db: Database;
  readonly #unread: UnreadPlans;
  readonly #listeners = new Set<RecordedListener>();

  /** @param unread the plans that usage has not read completely. */
  constructor(db: Database, unread: UnreadPlans) {
    this.#db = db;
    this.#unread = unread;
  }

  onRecorded(listener: RecordedListener): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async replay(): Promise<void> {
    const unread = await this.#unread.all();
    // Later sweeps find calls of nodes that have died since. Plans that cannot be read stay unread,
    // and a later sweep finds them again.
    this.#unread.onFound((found) => {
      this.#announceUnread(found).catch(() => undefined);
    });
    await this.#announceUnread(unread);
  }

  /** Notifies the listeners of calls that have just been committed. */
  recorded(calls: readonly ToolCallRecord[]): void {
    for (const listener of this.#listeners) listener(calls);
  }

  async #announceUnread(refs: readonly PlanRef[]): Promise<void> {
    for (const [orgId, own] of byOrganization(refs, (ref) => ref.orgId)) {
      const planIds = [...new Set(own.map(({ planId }) => planId))];
      for (let done = 0; done < planIds.length; done += PLANS_MAX) {
        const some = planIds.slice(done, done + PLANS_MAX);
        const { parts } = await readUnread(this.#db, "usage", orgId, some, REPLAYED_MAX);
        this.recorded(parts.flatMap(({ calls }) => calls));
      }
    }
  }
}
