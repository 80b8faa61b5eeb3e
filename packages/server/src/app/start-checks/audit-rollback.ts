import { inDataDirectory, type Config, sqliteFile } from "../../config/index.js";
import { logIdOf, rollbackOf } from "../../audit/index.js";
import type { AuditArchive } from "../../audit/ports.js";
import { SeenCheckpointFiles } from "../rooms/seen-checkpoint-files.js";

/**
 * What is wrong when the audit log in a store does not continue what a server with this data directory has
 * seen of it, and how to go on. Only reads.
 * @param url the store, with an up-to-date schema.
 * @param logName a log of another name is another log.
 * @returns `undefined` when the log continues it, or nothing was seen.
 * @throws AppError `STORE_UNAVAILABLE`.
 */
export async function auditRollback(
  url: string,
  dataDir: Config["dataDir"],
  logName: string,
): Promise<string | undefined> {
  const path = sqliteFile(url);
  // Every start runs this: it loads only the modules of the store's engine.
  if (path === undefined) {
    const { Database } = await import("../../storage/postgres/database.js");
    const { PostgresAuditArchive } = await import("../../storage/postgres/audit/audit-archive.js");
    await using db = new Database(url);
    return await rollbackIn(new PostgresAuditArchive(db), dataDir, logName);
  }
  const { openConnection, StatementCache } = await import("../../storage/sqlite/connection.js");
  const { StoreReads } = await import("../../storage/sqlite/reads/store-reads.js");
  const { SqliteAuditArchive } = await import("../../storage/sqlite/audit/audit-archive.js");
  using reader = openConnection(path, true);
  await using reads = new StoreReads(path, new StatementCache(reader));
  return await rollbackIn(new SqliteAuditArchive(NO_WRITER, reads), dataDir, logName);
}

async function rollbackIn(
  archive: AuditArchive,
  dataDir: string,
  logName: string,
): Promise<string | undefined> {
  const files = new SeenCheckpointFiles(inDataDirectory(dataDir, "auditSeen"));
  const logId = await logIdOf(archive);
  const seen = logId === undefined ? undefined : await files.read(logId);
  if (logId === undefined || seen?.origin !== logName) return undefined;
  return rollbackOf(seen, archive, files.placeOf(logId));
}

const NO_WRITER = {
  commit: (): Promise<void> => Promise.reject(new Error("this connection only reads")),
};
