import type { CustomerBindings } from "../../../payments/ports.js";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { Database } from "../database.js";

/** The organizations of customers, in PostgreSQL. */
export class PostgresCustomerBindings implements CustomerBindings {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async customerOf(orgId: string): Promise<string | undefined> {
    const [row] = await this.#db.query<{ readonly customer_id: string }>(
      `SELECT customer_id FROM payment_customers
       WHERE org_id = $1 ORDER BY bound_at_ms DESC, customer_id COLLATE "C" DESC LIMIT 1`,
      [orgId],
    );
    return row?.customer_id;
  }

  async organizationOf(customerId: string): Promise<string | undefined> {
    const [row] = await this.#db.query<{ readonly owner_id: string }>(
      "SELECT owner_id FROM payment_customer_owners WHERE org_id = $1 AND customer_id = $2",
      [NIL_ORG_ID, customerId],
    );
    return row?.owner_id;
  }

  /** The owner's row is written first: the slower of two calls finds it and binds nothing. */
  bind(orgId: string, customerId: string): Promise<boolean> {
    return this.#db.transaction(async (connection) => {
      await connection.query(
        `INSERT INTO payment_customer_owners (org_id, customer_id, owner_id)
         VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
        [NIL_ORG_ID, customerId, orgId],
      );
      const owners = await connection.query(
        `SELECT FROM payment_customer_owners
         WHERE org_id = $1 AND customer_id = $2 AND owner_id = $3`,
        [NIL_ORG_ID, customerId, orgId],
      );
      if (owners.length === 0) return false;
      await connection.query(
        `INSERT INTO payment_customers (org_id, customer_id, bound_at_ms)
         VALUES ($1, $2, steward_now_ms())
         ON CONFLICT (org_id, customer_id) DO UPDATE
           SET bound_at_ms = greatest(payment_customers.bound_at_ms, excluded.bound_at_ms)`,
        [orgId, customerId],
      );
      return true;
    });
  }

  /** The owner's row is locked first, as in `bind`. */
  rebind(orgId: string, customerId: string): Promise<void> {
    return this.#db.transaction(async (connection) => {
      const former = await connection.query<{ readonly owner_id: string }>(
        `SELECT owner_id FROM payment_customer_owners
         WHERE org_id = $1 AND customer_id = $2 FOR UPDATE`,
        [NIL_ORG_ID, customerId],
      );
      await connection.query(
        `INSERT INTO payment_customer_owners (org_id, customer_id, owner_id)
         VALUES ($1, $2, $3)
         ON CONFLICT (org_id, customer_id) DO UPDATE SET owner_id = excluded.owner_id`,
        [NIL_ORG_ID, customerId, orgId],
      );
      for (const { owner_id: owner } of former) {
        await connection.query(
          "DELETE FROM payment_customers WHERE org_id = $1 AND customer_id = $2",
          [owner, customerId],
        );
      }
      await connection.query(
        `INSERT INTO payment_customers (org_id, customer_id, bound_at_ms)
         VALUES ($1, $2, steward_now_ms())
         ON CONFLICT (org_id, customer_id) DO NOTHING`,
        [orgId, customerId],
      );
    });
  }
}
