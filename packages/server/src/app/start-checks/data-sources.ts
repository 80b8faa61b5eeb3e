import { accessSync, constants, existsSync } from "node:fs";
import { type Config, type DataSourceConfig, SETTINGS, sqliteFile } from "../../config/index.js";
import { isVouchedFor } from "../../transport/authentication/headers-authenticator.js";
import { failureReason } from "../../storage/failure-reason.js";
import { fail, ok, reasonOf, warn } from "./finding.js";
import type { Finding } from "./finding.js";

/** How long a writer of the file may hold its lock before the check fails, in ms. */
const LOCK_WAIT_MS = 5000;

/** A database that steps or migrations run on. */
export interface Place {
  readonly name: string;
  readonly url: string;
  readonly setting: string;
  readonly roles: readonly string[];
  /** Whether steps run there, rather than migrations. */
  readonly isForSteps: boolean;
}

/** Checks the SQLite files: a wrong path does not become right by waiting. */
export async function checkFileSources({ dataSources }: Config): Promise<readonly Finding[]> {
  const places = dataSources.flatMap(placesOf);
  return Promise.all(
    places.flatMap((place) => {
      const file = sqliteFile(place.url);
      return file === undefined ? [] : [checkFile(place, file)];
    }),
  );
}

/**
 * Checks the databases on PostgreSQL. A server starts without them: they may be away for a while, and
 * until they are back the steps on them fail with the reason.
 */
export async function checkServerSources({ dataSources }: Config): Promise<readonly Finding[]> {
  const places = dataSources.flatMap(placesOf);
  const servers = places.filter(({ url }) => sqliteFile(url) === undefined);
  if (servers.length === 0) return [];
  const { checkServer } = await import("./server-source.js");
  return (await Promise.all(servers.map(checkServer))).flat();
}

/**
 * Warns about data sources that no caller may use: when every caller is authenticated, a data source
 * is open only to organizations that a setting names (Decision §15).
 */
export function checkOpenSources({ auth, organization, dataSources }: Config): readonly Finding[] {
  const { headers } = auth;
  if (organization !== undefined || (headers !== undefined && !isVouchedFor(headers))) return [];
  const closed = dataSources.filter(({ organizations }) => organizations === undefined);
  return closed.map(({ name }) =>
    warn(
      `data source ${name}`,
      "no caller may use it, because it is bound to no organization",
      `set ${SETTINGS.organization.name} to the id of your organization, or list the organizations of ` +
        `${name} under data_sources in the tools file`,
    ),
  );
}

function placesOf({
  name,
  url,
  migrationUrl,
  organizations = [],
}: DataSourceConfig): readonly Place[] {
  const steps = { isForSteps: true, setting: SETTINGS.dataSources.name };
  const roles = organizations.flatMap(({ role }) => role ?? []);
  const own = organizations.flatMap((each) =>
    each.url === undefined
      ? []
      : [
          {
            ...steps,
            name: `data source ${name} of ${each.orgId}`,
            url: each.url,
            setting: SETTINGS.toolsFile.name,
            roles: [],
          },
        ],
  );
  const migrations = {
    ...{ name: `migrations of ${name}`, setting: SETTINGS.migrationUrls.name },
    ...{ roles: [], isForSteps: false },
  };
  return [
    { ...steps, name: `data source ${name}`, url, roles },
    ...own,
    ...(migrationUrl === undefined ? [] : [{ ...migrations, url: migrationUrl }]),
  ];
}

async function checkFile({ name, setting }: Place, file: string): Promise<Finding> {
  const fix = `correct its path in ${setting}, or create the database first`;
  if (!existsSync(file)) return fail(name, `the file ${file} does not exist`, fix);
  const { DatabaseSync } = await import("@photostructure/sqlite");
  const readOnly = !isWritable(file);
  try {
    const db = new DatabaseSync(file, { readOnly, timeout: LOCK_WAIT_MS });
    try {
      // Reads the file's header, which opening a file does not. After a crash in the middle of a write this rolls the
      // write back, which a connection that only reads may not do.
      db.prepare("PRAGMA schema_version").get();
    } finally {
      db.close();
    }
  } catch (error) {
    return fail(name, `${file}: ${failureReason(error, file) ?? reasonOf(error)}`, fix);
  }
  if (!readOnly) return ok(name, `${file} opens`);
  return warn(name, `${file} may only be read`, "allow this user to write it if steps are to");
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
