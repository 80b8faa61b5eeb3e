import type { DataSourceConfig } from "./config.js";

/** The data source that a bare path or URL stands for. */
const DEFAULT_DATA_SOURCE = "default";

const SCHEME = /^[a-z][a-z0-9+.-]+:/i;
const POSTGRES = /^postgres(ql)?:\/\/[^/?#]+/i;
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;
const NAMED = /^([A-Za-z][A-Za-z0-9_-]{0,62})=(.*)$/s;
/** A comma that starts the next `name=`: a URL may hold commas and equal signs of its own. */
const BETWEEN_SOURCES = /,(?=\s*[A-Za-z][A-Za-z0-9_-]{0,62}=)/;

/**
 * A database as the rest of the program names it: `sqlite:PATH` or `postgres://…`. A bare path is a
 * SQLite file. @returns `undefined` for anything else.
 */
export function parseDatabaseUrl(text: string): string | undefined {
  if (text.includes("\0")) return undefined;
  if (POSTGRES.test(text)) return text;
  if (text.startsWith("sqlite:")) return text.length > "sqlite:".length ? text : undefined;
  return SCHEME.test(text) || text === "" ? undefined : `sqlite:${text}`;
}

/** The file of a `sqlite:PATH`; `undefined` for another engine's URL. */
export function sqliteFile(url: string): string | undefined {
  return url.startsWith("sqlite:") ? url.slice("sqlite:".length) : undefined;
}

/**
 * `name=url,name=url`, or one bare path or URL, which is then named "default".
 * @returns `undefined` when a part is neither, or a name is given twice.
 */
export function parseDataSources(text: string): readonly DataSourceConfig[] | undefined {
  const parts = text.split(BETWEEN_SOURCES).map((part) => part.trim());
  const sources = parts.map((part) => parseDataSource(part, parts.length === 1));
  const known = sources.filter((source) => source !== undefined);
  const names = new Set(known.map((source) => source.name));
  return names.size === parts.length ? known : undefined;
}

/**
 * The same text with every password hidden. It also meets misspelt URLs, so in doubt it hides too
 * much: whatever stands between a colon and an `@`, but for a user name where that is plain.
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
