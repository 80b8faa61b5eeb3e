import { connectionRefusal, sqlStateOf } from "@steward/postgres";
import { maskDatabaseUrl } from "../../config/index.js";
import { reasonOf } from "./finding.js";

/** A database that cannot be used: where it is, its server's words, and what to do. */
export interface DatabaseFailure {
  readonly found: string;
  readonly fix: string;
}

/**
 * Explains why a database on PostgreSQL cannot be used.
 * @param setting the name of the setting with the URL.
 */
export function databaseFailure(error: unknown, url: string, setting: string): DatabaseFailure {
  const found = `${maskDatabaseUrl(url)}: ${reasonOf(error)}`;
  return { found, fix: fixOf(error, setting) };
}

function fixOf(error: unknown, setting: string): string {
  const state = sqlStateOf(error) ?? "";
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (state === "3D000") {
    return `create the database on the server, or correct its name in ${setting}`;
  }
  if (connectionRefusal(cause) !== undefined) {
    return `correct the user and the password in ${setting}, or the role on the server`;
  }
  if (state === "42501") return `grant the role this right, or name another role in ${setting}`;
  if (state !== "") return `correct ${setting}, or the database`;
  if (/SSL|certificate|self.signed/i.test(reasonOf(error))) {
    return `correct sslmode and the certificates in ${setting}, or TLS on the server`;
  }
  return `start the database server there, or correct the host and the port in ${setting}`;
}
