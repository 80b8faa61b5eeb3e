import type { Clock } from "@steward/kernel/clock.js";
import type { CustomerBindings } from "../../../payments/ports.js";
import { WriteConflict, type CommitWriter } from "../commit-writer.js";
import { read } from "../connection.js";
import type { StoreReads } from "../reads/store-reads.js";
import { text } from "../column-values.js";
import { bindCustomer, rebindCustomer } from "./usage-writes.js";

/** The organizations of customers, in SQLite. */
export class SqliteCustomerBindings implements CustomerBindings {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;
  readonly #clock: Clock;

  constructor(writer: CommitWriter, db: StoreReads, clock: Clock) {
    this.#writer = writer;
    this.#db = db;
    this.#clock = clock;
  }

  customerOf(orgId: string): Promise<string | undefined> {
    return read(() => {
      const row = this.#db.get(
        `SELECT customer_id FROM payment_customers
         WHERE org_id = ? ORDER BY bound_at_ms DESC, customer_id DESC LIMIT 1`,
        orgId,
      );
      return row === undefined ? undefined : text(row["customer_id"]);
    });
  }

  organizationOf(customerId: string): Promise<string | undefined> {
    return read(() => {
      const row = this.#db.get(
        "SELECT org_id FROM payment_customers WHERE customer_id = ?",
        customerId,
      );
      return row === undefined ? undefined : text(row["org_id"]);
    });
  }

  async bind(orgId: string, customerId: string): Promise<boolean> {
    try {
      await this.#writer.commit([bindCustomer(orgId, customerId, this.#clock.nowMs())]);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }

  rebind(orgId: string, customerId: string): Promise<void> {
    return this.#writer.commit([rebindCustomer(orgId, customerId, this.#clock.nowMs())]);
  }
}
