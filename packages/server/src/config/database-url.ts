import type { DataSourceConfig } from "./config.js";

/** Name of a data source given without a name. */
const DEFAULT_DATA_SOURCE = "default";

const SCHEME = /^[a-z][a-z0-9+.-]+:/i;
const POSTGRES = /^postgres(ql)?:\/\/[^/?#]+/i;
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;
const NAMED = /^([A-Za-z][A-Za-z0-9_-]{0,62})=(.*)$/s;
/** A comma followed by `name=`. Other commas and equal signs belong to a URL. */
const BETWEEN_SOURCES = /,(?=\s*[A-Za-z][A-Za-z0-9_-]{0,62}=)/;

/**
 * Normalizes a database URL to `sqlite:PATH` or `postgres://…`. A bare path is a SQLite file.
 * @returns `undefined` for anything else.
 */
export function parseDatabaseUrl(text: string): string | undefined {
  if (text.includes("\0")) return undefined;
  if (POSTGRES.test(text)) return text;
  if (text.startsWith("sqlite:")) return text.length > "sqlite:".length ? text : undefined;
  return SCHEME.test(text) || text === "" ? undefined : `sqlite:${text}`;
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
