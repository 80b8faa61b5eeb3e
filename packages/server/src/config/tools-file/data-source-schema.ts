import { readFileSync } from "node:fs";
import { z } from "zod";
import type { OrganizationAccess } from "@steward/kernel/data-source-access.js";
import { CATALOG_NOTE_LENGTH_MAX } from "../../catalog/limits.js";
import type { SourceNotes, TableNotes } from "../../catalog/ports.js";
import { present } from "../../kernel/present.js";
import { STEP_TIMEOUT_MS_MAX } from "../../plans/limits.js";
import type { DataSourceConfig } from "../config.js";
import { parseDatabaseUrl, sqliteFile } from "../database-url.js";
import { SESSIONS_MAX_MAX } from "../limits.js";
import {
  entry,
  flag,
  limit,
  listOf,
  organizationId,
  text,
  type ToolsMistake,
} from "./schema-parts.js";

const organizationSchema = z.union(
  [
    organizationId,
    entry({
      id: organizationId,
      url: text("a database URL").exactOptional(),
      url_file: text("the path of a file").exactOptional(),
      role: text("the name of a role")
        .regex(
          /^[A-Za-z_][A-Za-z0-9_]{0,62}$/,
          "must be the name of a role: letters, digits and underscores, 63 at most",
        )
        .exactOptional(),
    }),
  ],
  { error: "must be the UUID of an organization, or hold id, and url, url_file or role" },
);

const note = text("a text").max(
  CATALOG_NOTE_LENGTH_MAX,
  `must not be longer than ${String(CATALOG_NOTE_LENGTH_MAX)} characters`,
);

const metricSchema = entry({
  name: note.min(1, "must be a name"),
  expression: note.min(1, "must be an expression"),
  dimensions: listOf(note, "columns").default([]),
  description: note.exactOptional(),
});

/** Notes about a table. */
const tableSchema = entry({
  description: note.exactOptional(),
  columns: z.record(z.string(), note, { error: "must map columns to texts" }).exactOptional(),
  questions: listOf(note, "questions").exactOptional(),
  metrics: listOf(metricSchema, "metrics").exactOptional(),
});

/** An entry of `data_sources` in the tools file. */
export const dataSourceSchema = entry({
  name: text("the name of a data source"),
  description: note.exactOptional(),
  organizations: listOf(organizationSchema, "organizations").exactOptional(),
  sessions_max: limit("sessions", SESSIONS_MAX_MAX).exactOptional(),
  timeout_ms: limit("milliseconds", STEP_TIMEOUT_MS_MAX).exactOptional(),
  previews: flag.exactOptional(),
  tables: z
    .record(z.string(), tableSchema, { error: "must map tables to what is said of them" })
    .exactOptional(),
});

type DataSourceEntry = z.infer<typeof dataSourceSchema>;
type Organization = Exclude<z.infer<typeof organizationSchema>, string>;

/** What the tools file says about a data source. */
export type SourceOptions = Omit<DataSourceConfig, "name" | "url" | "migrationUrl">;

/** Mistakes in an entry's organizations that the schema does not detect. */
export function checkOrganizations(
  { name, organizations = [] }: DataSourceEntry,
  path: readonly [string, number],
  dataSources: readonly DataSourceConfig[],
): readonly ToolsMistake[] {
  const source = dataSources.find((each) => each.name === name);
  const isSqlite = source !== undefined && sqliteFile(source.url) !== undefined;
  const listed = organizations.map(organizationOf);
  return listed.flatMap((organization, index): readonly ToolsMistake[] => {
    const at = [...path, "organizations", index];
    const first = listed.findIndex(({ id }) => id.toLowerCase() === organization.id.toLowerCase());
    if (first < index) return [{ path: at, reason: `is organizations[${String(first)}] too` }];
    const reason = mistakeOf(organization, isSqlite);
    return reason === undefined ? [] : [{ path: at, reason }];
  });
}

/** The options of a valid entry. */
export function sourceOptions(source: DataSourceEntry): SourceOptions {
  return present({
    organizations: source.organizations?.map(organizationOf).map(accessOf),
    sessionsMax: source.sessions_max,
    timeoutMs: source.timeout_ms,
    // Writes are previewed unless the entry says otherwise.
    previews: source.previews === false ? false : undefined,
  });
}

/** Notes by owners, by data source. Names of tables and columns are in lower case. */
export function notesOf(sources: readonly DataSourceEntry[]): ReadonlyMap<string, SourceNotes> {
  const noted = sources.filter(
    ({ description, tables = {} }) => description !== undefined || Object.keys(tables).length > 0,
  );
  return new Map(
    noted.map(({ name, description, tables = {} }) => {
      const notes = Object.entries(tables).map(
        ([table, said]) => [table.toLowerCase(), tableNotes(said)] as const,
      );
      return [name, { ...present({ description }), tables: new Map(notes) }];
    }),
  );
}

function tableNotes(table: z.infer<typeof tableSchema>): TableNotes {
  const { description, columns = {}, questions = [], metrics } = table;
  const named = Object.entries(columns).map(([name, said]) => [name.toLowerCase(), said] as const);
  return {
    ...present({ description }),
    columns: new Map(named),
    questions,
    ...present({ metrics }),
  };
}

function accessOf(organization: Organization): OrganizationAccess {
  const { id, role } = organization;
  return { orgId: id.toLowerCase(), ...present({ url: urlOf(organization), role }) };
}

function organizationOf(organization: string | Organization): Organization {
  return typeof organization === "string" ? { id: organization } : organization;
}

function mistakeOf(organization: Organization, isSqlite: boolean): string | undefined {
  const { url, url_file: file, role } = organization;
  const given = [url, file, role].filter((each) => each !== undefined);
  if (given.length > 1) return "has one of url, url_file and role";
  if (role !== undefined) {
    return isSqlite ? "cannot have a role: SQLite has none; give it a url" : undefined;
  }
  if (given.length === 0) return undefined;
  const own = urlOf(organization);
  if (own === undefined) {
    // The URL is not repeated, because it may contain a password.
    return file === undefined
      ? "has a url that is neither sqlite:PATH nor postgres://…"
      : `has the url_file ${file}, which cannot be read or holds neither sqlite:PATH nor postgres://…`;
  }
  const isSameEngine = (sqliteFile(own) !== undefined) === isSqlite;
  return isSameEngine ? undefined : "has a url of another engine than the data source's";
}

function urlOf({ url, url_file: file }: Organization): string | undefined {
  if (url !== undefined) return parseDatabaseUrl(url);
  if (file === undefined) return undefined;
  try {
    return parseDatabaseUrl(readFileSync(file, "utf8").trim());
  } catch {
    return undefined;
  }
}
