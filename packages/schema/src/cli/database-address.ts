import { existsSync } from "node:fs";
import { InvalidArgumentError } from "commander";
import type { SchemaDatabase } from "../ports.js";

/** Opens the database that an argument names. Only the modules of its engine are loaded. */
export type OpenDatabase = () => Promise<SchemaDatabase>;

/**
 * Reads an argument: a PostgreSQL URL, or the path of an SQLite file.
 * @throws InvalidArgumentError when it is neither, or when the file does not exist.
 */
export function databaseAt(address: string): OpenDatabase {
  if (/^postgres(ql)?:\/\//.test(address)) return postgresAt(address);
  const path = address.replace(/^sqlite:/, "");
  if (!existsSync(path)) {
    const fix = "Give the path of an SQLite database or a URL such as postgres://user@host/name.";
    throw new InvalidArgumentError(`There is no file ${path}. ${fix}`);
  }
  return async () => {
    const { SqliteSchemaDatabase } = await import("../sqlite-database/index.js");
    return new SqliteSchemaDatabase(path, path);
  };
}

function postgresAt(url: string): OpenDatabase {
  if (!URL.canParse(url)) {
    throw new InvalidArgumentError(
      "This is no URL. A URL of PostgreSQL has the form postgres://user:password@host:5432/name, with special characters of the password percent-encoded.",
    );
  }
  // The name is for messages, which must not contain the password.
  const { host, pathname } = new URL(url);
  return async () => {
    const { PostgresSchemaDatabase } = await import("../postgres-database/index.js");
    return new PostgresSchemaDatabase(`${host}${pathname}`, url);
  };
}
