import { existsSync } from "node:fs";
import { connect } from "node:net";
import { maskDatabaseUrl, sqliteFile } from "../../config/index.js";
import type { DataSourceConfig } from "../../config/index.js";
import { fail, ok, reasonOf, warn } from "./check.js";
import type { Check } from "./check.js";

/** How long a database server has to take a connection, in ms. */
const CONNECT_MS = 3000;
/** Where PostgreSQL listens unless its URL says otherwise. */
const POSTGRES_PORT = 5432;

/** Whether the service's own database can be used. */
export async function checkStore(url: string | undefined): Promise<Check> {
  const name = "database";
  if (url === undefined) {
    const found = "none: `steward serve` refuses every write";
    return warn(name, found, "set SERVICE_DATABASE_URL, such as sqlite:./.steward/steward.db");
  }
  const file = sqliteFile(url);
  if (file !== undefined && !existsSync(file)) return ok(name, `${file} will be created`);
  return reach(name, url, "correct SERVICE_DATABASE_URL, or start that database");
}

/** Whether each data source opens. */
export async function checkDataSources(
  sources: readonly DataSourceConfig[],
): Promise<readonly Check[]> {
  if (sources.length === 0) {
    const found = "none: no step can run";
    return [warn("data source", found, "set SERVICE_DATA_SOURCES, such as shop=sqlite:./shop.db")];
  }
  const fix = "correct SERVICE_DATA_SOURCES, or start that database";
  return Promise.all(sources.map(({ name, url }) => reach(`data source ${name}`, url, fix)));
}

async function reach(name: string, url: string, fix: string): Promise<Check> {
  const shown = maskDatabaseUrl(url);
  const file = sqliteFile(url);
  try {
    if (file === undefined) await openConnection(new URL(url));
    else await openFile(file);
    return ok(name, `${shown} ${file === undefined ? "takes connections" : "opens"}`);
  } catch (error) {
    return fail(name, `${shown}: ${reasonOf(error)}`, fix);
  }
}

async function openFile(file: string): Promise<void> {
  if (!existsSync(file)) throw new Error("no such file");
  const { DatabaseSync } = await import("@photostructure/sqlite");
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    // Reads the file's header, which opening alone does not.
    db.prepare("PRAGMA schema_version").get();
  } finally {
    db.close();
  }
}

function openConnection({ hostname, port }: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: port === "" ? POSTGRES_PORT : Number(port) });
    socket.setTimeout(CONNECT_MS, () => {
      socket.destroy(new Error(`no answer within ${String(CONNECT_MS)} ms`));
    });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
  });
}
