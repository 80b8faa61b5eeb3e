import { quotedName } from "../../adapters/sql-target-postgres/quoted-name.js";
import type { Database } from "../../storage/postgres/database.js";

interface RightsRow {
  readonly role: string;
  readonly database: string;
  readonly schema: string | null;
  readonly may_create: boolean | null;
  readonly is_read_only: boolean;
  readonly locked_table: string | null;
}

/** The own tables are those in the schema of `schema_migrations`. */
const RIGHTS = `
SELECT current_user AS role, current_database() AS database, current_schema() AS schema,
  has_schema_privilege(current_schema(), 'CREATE') AS may_create,
  current_setting('transaction_read_only') = 'on' AS is_read_only,
  (SELECT min(c.oid::regclass::text) FROM pg_class c
   WHERE c.relkind IN ('r', 'p')
     AND c.relnamespace = (SELECT relnamespace FROM pg_class
                           WHERE oid = to_regclass('schema_migrations'))
     AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
       AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))
  ) AS locked_table`;

/**
 * The right that the role of a store lacks, and the SQL that grants it; `undefined` when it lacks
 * none.
 * @param creates whether the store is to be migrated, which creates tables.
 */
export async function missingRights(
  db: Database,
  creates: boolean,
): Promise<{ readonly found: string; readonly fix: string } | undefined> {
  const [row] = await db.query<RightsRow>(RIGHTS);
  if (row === undefined) return undefined;
  const role = `role ${row.role}`;
  if (row.is_read_only) {
    return {
      found:
        "the server accepts no writes: it is a standby, or the role's transactions are read-only",
      fix:
        "name the primary server in SERVICE_DATABASE_URL, or run: " +
        `ALTER ROLE ${quotedName([row.role])} RESET default_transaction_read_only`,
    };
  }
  if (creates && row.schema === null) {
    return {
      found: `${role} has no schema in its search_path`,
      fix: `run as the owner of the database: CREATE SCHEMA AUTHORIZATION ${quotedName([row.role])}`,
    };
  }
  if (creates && row.may_create !== true) {
    const schema = row.schema ?? "";
    return {
      found: `${role} may not create tables in schema ${schema} of database ${row.database}`,
      fix: `run as the owner of the schema: GRANT CREATE ON SCHEMA ${quotedName([schema])} TO ${quotedName([row.role])}`,
    };
  }
  if (row.locked_table === null) return undefined;
  return {
    found: `${role} may not read and write table ${row.locked_table}`,
    fix:
      "run as the owner of the tables: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " +
      `${quotedName([row.schema ?? "public"])} TO ${quotedName([row.role])}`,
  };
}
