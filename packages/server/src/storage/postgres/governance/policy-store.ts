import { isDeepStrictEqual } from "node:util";
import { POLICY_VERSIONS_KEPT } from "../../../policies/limits.js";
import type { OrganizationPolicies, PolicyStore } from "../../../policies/ports.js";
import type { Database } from "../database.js";
import { settled } from "../settled.js";

/** A row of policies, as the driver returns it. */
interface PolicyRow {
  readonly version: number;
  readonly text: string;
  readonly changed_by: string;
  readonly changed_at_ms: number;
}

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
    const write = (): Promise<boolean> =>
      this.#db.transaction(async (connection) => {
        const [{ latest } = { latest: 0 }] = await connection.query<{ readonly latest: number }>(
          "SELECT coalesce(max(version), 0) AS latest FROM policies WHERE org_id = $1",
          [orgId],
        );
        if (version !== latest + 1) return false;
        const added = await connection.query(
          `INSERT INTO policies (org_id, version, text, changed_by, changed_at_ms)
           VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING version`,
          [orgId, version, text, changedBy, changedAtMs],
        );
        if (added.length === 0) return false;
        const oldest = version - POLICY_VERSIONS_KEPT;
        const old = "DELETE FROM policies WHERE org_id = $1 AND version <= $2";
        await connection.query(old, [orgId, oldest]);
        return true;
      });
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
