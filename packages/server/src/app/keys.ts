import { sqliteFile } from "../config/index.js";
import { ApiKeyService } from "../identity/index.js";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../kernel/telemetry.js";
import { SqlApiKeyStore } from "../storage/cold/api-key-store.js";
import { SqlPolicyStore } from "../storage/cold/policy-store.js";
import { Database } from "../storage/postgres/database.js";
import { migrate } from "../storage/postgres/migrate.js";
import { PostgresSqlStore } from "../storage/postgres/sql-store.js";
import { openSqliteStore } from "../storage/sqlite/store.js";
import type { Store } from "../storage/store.js";
import { openPolicies } from "./rooms/policies.js";

/** The API keys of a store. */
export interface OpenApiKeys extends AsyncDisposable {
  readonly service: ApiKeyService;
}

/**
 * Opens a store's API keys, and migrates the store if needed.
 * @param url `sqlite:PATH` or `postgres://…`.
 * @throws AppError `STORE_UNAVAILABLE` when it cannot be reached, or a running server owns the
 * file.
 */
export async function openApiKeys(url: string): Promise<OpenApiKeys> {
  const file = sqliteFile(url);
  if (file !== undefined) {
    const store = openSqliteStore(file, systemClock, silentTelemetry);
    return opened(store, store);
  }
  const db = new Database(url);
  try {
    await migrate(db);
  } catch (error) {
    await db[Symbol.asyncDispose]();
    throw error;
  }
  const sql = new PostgresSqlStore(db);
  return opened({ apiKeys: new SqlApiKeyStore(sql), policies: new SqlPolicyStore(sql) }, db);
}

function opened(
  { apiKeys, policies }: Pick<Store, "apiKeys" | "policies">,
  owner: AsyncDisposable,
): OpenApiKeys {
  const { knownRoles } = openPolicies({ clock: systemClock, store: policies });
  return {
    service: new ApiKeyService(apiKeys, systemClock, knownRoles),
    [Symbol.asyncDispose]: () => owner[Symbol.asyncDispose](),
  };
}
