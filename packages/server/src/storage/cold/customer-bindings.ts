import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { CustomerBindings } from "../../payments/ports.js";
import { rowType, text, uuid } from "./row-type.js";
import { either, greater, onPostgres, raw, sql } from "./sql.js";
import { one, type SqlStore } from "./sql-store.js";

const CUSTOMER = rowType<{ readonly customerId: string }>({ customerId: text() });
const OWNER = rowType<{ readonly ownerId: string }>({ ownerId: uuid });

/** The organizations of customers. On PostgreSQL, a row of its own ensures that a customer has only one. */
export class SqlCustomerBindings implements CustomerBindings {
  readonly #db: SqlStore;
  readonly #clock: Clock;

  constructor(db: SqlStore, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async customerOf(orgId: string): Promise<string | undefined> {
    const query = sql`SELECT customer_id FROM payment_customers WHERE org_id = ${orgId}
      ORDER BY bound_at_ms DESC, customer_id ${onPostgres(raw('COLLATE "C"'))} DESC LIMIT 1`;
    return (await this.#db.row(query, CUSTOMER))?.customerId;
  }

  async organizationOf(customerId: string): Promise<string | undefined> {
    const query = either({
      sqlite: sql`SELECT org_id AS owner_id FROM payment_customers
        WHERE customer_id = ${customerId}`,
      postgres: sql`SELECT owner_id FROM payment_customer_owners
        WHERE org_id = ${NIL_ORG_ID} AND customer_id = ${customerId}`,
    });
    return (await this.#db.row(query, OWNER))?.ownerId;
  }

  bind(orgId: string, customerId: string): Promise<boolean> {
    return this.#bind(orgId, customerId, orgId);
  }

  async rebind(orgId: string, customerId: string): Promise<void> {
    const owner = await this.organizationOf(customerId);
    const isBound = await this.#bind(orgId, customerId, owner ?? orgId);
    // Somebody else has bound the customer since its owner was read.
    if (!isBound) await this.rebind(orgId, customerId);
  }

  /**
   * Binds a customer that belongs to no organization or to this owner. The owner's row is written first on
   * PostgreSQL, so that the slower one of two calls finds it and binds nothing.
   */
  #bind(orgId: string, customerId: string, owner: string): Promise<boolean> {
    const latest = greater(sql`payment_customers.bound_at_ms`, sql`excluded.bound_at_ms`);
    const now = either({
      sqlite: sql`${this.#clock.nowMs()}`,
      postgres: raw("steward_now_ms()"),
    });
    const rebound = either({
      sqlite: sql`(customer_id) DO UPDATE SET org_id = excluded.org_id, bound_at_ms = ${latest}
        WHERE org_id = ${owner}`,
      postgres: sql`(org_id, customer_id) DO UPDATE SET bound_at_ms = ${latest}`,
    });
    const unbind = onPostgres(sql`DELETE FROM payment_customers
      WHERE org_id = ${owner} AND customer_id = ${customerId}`);
    return this.#db.write([
      one(
        onPostgres(sql`INSERT INTO payment_customer_owners AS o (org_id, customer_id, owner_id)
          VALUES (${NIL_ORG_ID}, ${customerId}, ${orgId})
          ON CONFLICT (org_id, customer_id) DO UPDATE SET owner_id = excluded.owner_id
            WHERE o.owner_id = ${owner}`),
      ),
      ...(owner === orgId ? [] : [unbind]),
      one(sql`INSERT INTO payment_customers (org_id, customer_id, bound_at_ms)
        VALUES (${orgId}, ${customerId}, ${now}) ON CONFLICT ${rebound}`),
    ]);
  }
}
