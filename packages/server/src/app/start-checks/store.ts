import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "@steward/kernel/errors.js";
import { assertKeyOfLog, CheckpointSigner } from "../../audit/index.js";
import { inDataDirectory, type Config, sqliteFile } from "../../config/index.js";
import { assertPrivate } from "../../storage/private-files.js";
import { auditKeyOf } from "../rooms/audit.js";
import { unwritable } from "./data-directory.js";
import { fail, ok, reasonOf, warn } from "./finding.js";
import type { Finding } from "./finding.js";

const NAME = "database";
const SETTING = "SERVICE_DATABASE_URL";

/** Checks that a server can use the store, which is changed by no check. */
export async function checkStore(config: Config): Promise<readonly Finding[]> {
  const url = config.databaseUrl;
  if (url === undefined) return [];
  const findings = await checkDatabase(url, config);
  const isUsable = findings.every(({ status }) => status !== "fail");
  return isUsable ? [...findings, ...(await checkRollback(url, config))] : findings;
}

async function checkDatabase(url: string, config: Config): Promise<readonly Finding[]> {
  const file = sqliteFile(url);
  if (file !== undefined) return [await checkFile(file, config)];
  const { checkPostgresStore } = await import("./postgres-store.js");
  return checkPostgresStore(url, config, checkLogKey);
}

/** The audit log must continue what a server with this data directory has seen of it. */
async function checkRollback(url: string, config: Config): Promise<readonly Finding[]> {
  if (!existsSync(inDataDirectory(config.dataDir, "auditSeen"))) return [];
  const file = sqliteFile(url);
  // Opening it would create it.
  if (file !== undefined && !existsSync(file)) return [];
  const { auditRollback } = await import("./audit-rollback.js");
  try {
    const rollback = await auditRollback(url, config.dataDir, config.audit.name);
    if (rollback === undefined) return [];
    const [found = "", ...fix] = rollback.split(/(?<=\)\.) /);
    return [fail("audit log", found, fix.join(" "))];
  } catch {
    // Only a store that waits for its migrations cannot be read here; the server compares them after these.
    return [];
  }
}

async function checkFile(file: string, config: Config): Promise<Finding> {
  const fix = `correct the file, or name another one with --database-url or ${SETTING}`;
  const problem = unwritable(dirname(file));
  if (problem !== undefined) return fail(NAME, problem.found, `${problem.fix}, or ${fix}`);
  if (!existsSync(file)) return ok(NAME, `${file} will be created`);
  const { checkpointNote, isOwned, pendingMigrations } =
    await import("../../storage/sqlite/store.js");
  try {
    assertPrivate(file);
    accessSync(file, constants.R_OK | constants.W_OK);
    const isNew = pendingMigrations(file).length > 0;
    const [wrongKey] = isNew ? [] : checkLogKey(checkpointNote(file), config);
    if (wrongKey !== undefined) return wrongKey;
    if (!isOwned(file)) return ok(NAME, `${file} opens${isNew ? " and will be migrated" : ""}`);
    const found = `another process owns the store ${file}`;
    return warn(NAME, found, `stop it before another start, or give that one its own ${SETTING}`);
  } catch (error) {
    const reason = error instanceof AppError ? error.message : reasonOf(error);
    return fail(NAME, reason, fix);
  }
}

/** The key that signs the audit log must be the one that has signed it so far. */
function checkLogKey(note: string, config: Config): readonly Finding[] {
  try {
    const pem = auditKeyOf(config);
    if (pem === undefined) return [];
    assertKeyOfLog(note, new CheckpointSigner(config.audit.name, pem), config.audit.replacedKey);
    return [];
  } catch (error) {
    return [fail("audit key", reasonOf(error), "correct SERVICE_AUDIT_KEY_FILE")];
  }
}
