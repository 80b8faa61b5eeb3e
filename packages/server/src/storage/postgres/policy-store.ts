import { isDeepStrictEqual } from "node:util";
import { POLICY_VERSIONS_KEPT } from "../../kernel/limits.js";
import type { OrganizationPolicies, PolicyStore } from "../../policies/ports.js";
import type { Database } from "./database.js";
import { settled } from "./settled.js";

/** A row of policies, as the driver gives it. */
interface PolicyRow {
  readonly version: number;
  readonly text: string;
  readonly changed_by: string;
  readonly changed_at_ms: number;
}

/** Policies of organizations in PostgreSQL. */
export class PostgresPolicyStore implements PolicyStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async latest(orgId: string): Promise<OrganizationPolicies | undefined> {
    const [row] = await this.#db.query<PolicyRow>(
      `SELECT version, text, changed_by, changed_at_ms FROM policies
       WHERE org_id = $1 ORDER BY version DESC LIMIT 1`,
      [orgId],
    );
    if (row === undefined) return undefined;
    return {
      orgId,
      version: row.version,
      text: row.text,
      changedBy: row.changed_by,
      changedAtMs: row.changed_at_ms,
    };
  }

  async put(policies: OrganizationPolicies): Promise<boolean> {
    const { orgId, version, text, changedBy, changedAtMs } = policies;
    const write = async (): Promise<boolean> => {
      const rows = await this.#db.query(
        `WITH old AS (DELETE FROM policies WHERE org_id = $1 AND version <= $2::bigint - $6::bigint)
         INSERT INTO policies (org_id, version, text, changed_by, changed_at_ms)
         SELECT $1, $2::bigint, $3, $4, $5
         WHERE $2::bigint = (SELECT coalesce(max(version), 0) + 1 FROM policies WHERE org_id = $1)
         ON CONFLICT DO NOTHING RETURNING version`,
        [orgId, version, text, changedBy, changedAtMs, POLICY_VERSIONS_KEPT],
      );
      return rows.length > 0;
    };
    const isOurs = async (): Promise<boolean> => {
      const latest = await this.latest(orgId);
      return latest !== undefined && isDeepStrictEqual(latest, policies);
    };
    return settled(
      async (isUnsure) => (await write()) || (isUnsure && (await isOurs())),
      async () => (await isOurs()) || undefined,
    );
  }
}
