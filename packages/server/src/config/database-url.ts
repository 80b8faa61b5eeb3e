import { AppError } from "@steward/kernel/errors.js";
import type { Config, DataSourceConfig } from "./config.js";
import type { SettingType } from "./setting.js";

/** Name of a data source given without a name. */
const DEFAULT_DATA_SOURCE = "default";

const SCHEME = /^[a-z][a-z0-9+.-]+:/i;
const POSTGRES = /^postgres(ql)?:\/\/[^/?#]+/i;
/** SQLite's names of databases in memory: https://www.sqlite.org/inmemorydb.html */
const IN_MEMORY = /^(?::memory:$|file:)/i;
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;
const NAMED = /^([A-Za-z][A-Za-z0-9_-]{0,62})=(.*)$/s;
/** A comma followed by `name=`. Other commas and equal signs belong to a URL. */
const BETWEEN_SOURCES = /,(?=\s*[A-Za-z][A-Za-z0-9_-]{0,62}=)/;

/** A setting that is a database URL. */
export const databaseUrl: SettingType<string> = {
  shape: "sqlite:PATH or postgres://…, with a file at PATH, not in memory",
  placeholder: "url",
  example: "sqlite:./.steward/steward.db",
  parse: parseDatabaseUrl,
  mask: maskDatabaseUrl,
};

/** A setting that names data sources. */
export const dataSources: SettingType<readonly DataSourceConfig[]> = {
  shape: "a SQLite file, a database URL, or name=url,name=url with distinct names",
  placeholder: "sources",
  example: "shop=sqlite:./shop.db",
  parse: parseDataSources,
  mask: maskDatabaseUrl,
};

/** A setting with the URLs of data sources for migrations. */
export const migrationUrls: SettingType<readonly DataSourceConfig[]> = {
  ...dataSources,
  shape: "name=url,name=url with the names of data sources on PostgreSQL",
  placeholder: "urls",
  example: "crm=postgres://crm_owner@db/crm",
};

/**
 * Normalizes a database URL to `sqlite:PATH` or `postgres://…`. A bare path is a SQLite file. A
 * database in memory is none: several threads and processes open it.
 * @returns `undefined` for anything else.
 */
export function parseDatabaseUrl(text: string): string | undefined {
  if (text.includes("\0")) return undefined;
  if (POSTGRES.test(text)) return text;
  const path = text.startsWith("sqlite:") ? text.slice("sqlite:".length) : text;
  if (path === "" || IN_MEMORY.test(path)) return undefined;
  return path === text && SCHEME.test(text) ? undefined : `sqlite:${path}`;
}

/**
 * Checks the URLs of a configuration that a program has made.
 * @throws AppError `INVALID_ARGUMENT`.
 */
export function assertDatabaseUrls(config: Pick<Config, "databaseUrl" | "dataSources">): void {
  const urls = config.dataSources.map(({ name, url }) => [
    `the url of the data source ${name}`,
    url,
  ]);
  for (const [what, url] of [["databaseUrl", config.databaseUrl], ...urls]) {
    if (url === undefined || parseDatabaseUrl(url) === url) continue;
    const shown = maskDatabaseUrl(url);
    throw new AppError("INVALID_ARGUMENT", `${what} is ${shown}: it must be ${databaseUrl.shape}`);
  }
}

/** The file of a `sqlite:PATH`; `undefined` for other URLs. */
export function sqliteFile(url: string): string | undefined {
  return url.startsWith("sqlite:") ? url.slice("sqlite:".length) : undefined;
}

/**
 * Parses `name=url,name=url`, or one bare path or URL, which gets the name "default".
 * @returns `undefined` when a part is invalid, or a name is given twice.
 */
export function parseDataSources(text: string): readonly DataSourceConfig[] | undefined {
  const parts = text.split(BETWEEN_SOURCES).map((part) => part.trim());
  const sources = parts.map((part) => parseDataSource(part, parts.length === 1));
  const known = sources.filter((source) => source !== undefined);
  const names = new Set(known.map((source) => source.name));
  return names.size === parts.length ? known : undefined;
}

/**
 * Hides the passwords in a text. The text may be a misspelt URL, so in doubt too much is hidden:
 * everything between a colon and an `@`, except a plain user name.
 */
export function maskDatabaseUrl(text: string): string {
  return text
    .replace(CREDENTIALS, (_match, user: string | undefined) => `:${user ?? ""}***@`)
    .replace(PASSWORD_PARAMETER, "$1***");
}

const CREDENTIALS = /(?<!sqlite):(\/\/[^:@/?#\s]*:)?[^\s@]*@(?:[^\s@,/]*@)*/gi;
const PASSWORD_PARAMETER = /([?&](?:ssl)?password=)[^&,\s]*/gi;

function parseDataSource(part: string, alone: boolean): DataSourceConfig | undefined {
  const [, name = DEFAULT_DATA_SOURCE, rest = part] = NAMED.exec(part) ?? [];
  if (rest === part && !alone) return undefined;
  const url = parseDatabaseUrl(rest.trim());
  return url !== undefined && NAME.test(name) ? { name, url } : undefined;
}
