import { readFileSync } from "node:fs";
import { z } from "zod";
import type { OrganizationAccess } from "@steward/kernel/data-source-access.js";
import { isUuid } from "@steward/kernel/ids.js";
import { SESSIONS_MAX_MAX } from "./limits.js";
import type { DataSourceConfig } from "./config.js";
import { parseDatabaseUrl, sqliteFile } from "./database-url.js";
import type { ToolsMistake } from "./tools-schema.js";
import { type NotedSource, notesShape } from "./notes-schema.js";
import { unknownKey } from "./unknown-key.js";

/** The organizations that each data source is bound to, by data source. */
export type BoundOrganizations = ReadonlyMap<string, readonly OrganizationAccess[]>;

/** An organization in an entry: its id alone, or its id and how it reaches the data source. */
interface Organization {
  readonly id: string;
  readonly url?: string;
  readonly url_file?: string;
  readonly role?: string;
}

interface Binding extends NotedSource {
  readonly organizations?: readonly (string | Organization)[];
  readonly sessions_max?: number;
  readonly previews?: boolean;
}

const text = (what: string): z.ZodString => z.string({ error: `must be ${what}` });
const id = text("the id of an organization, a UUID").refine(isUuid, {
  error: "must be the id of an organization, a UUID",
});
const organizationSchema = z.union(
  [
    id,
    z.strictObject(
      {
        id,
        url: text("a database URL").exactOptional(),
        url_file: text("the path of a file").exactOptional(),
        role: text("the name of a role")
          .regex(
            /^[A-Za-z_][A-Za-z0-9_]{0,62}$/,
            "must be the name of a role: letters, digits and underscores, 63 at most",
          )
          .exactOptional(),
      },
      { error: unknownKey(["id", "url", "url_file", "role"]) },
    ),
  ],
  { error: "must be the UUID of an organization, or hold id, and url, url_file or role" },
);

const SESSIONS = `must be a whole number of sessions from 1 to ${String(SESSIONS_MAX_MAX)}`;

/** An entry of `data_sources` in the tools file. */
export const dataSourceSchema: z.ZodType<Binding> = z.strictObject(
  {
    name: text("the name of a data source"),
    ...notesShape,
    organizations: z
      .array(organizationSchema, { error: "must be a list of organizations" })
      .exactOptional(),
    sessions_max: z
      .int({ error: SESSIONS })
      .min(1, SESSIONS)
      .max(SESSIONS_MAX_MAX, SESSIONS)
      .exactOptional(),
    previews: z.boolean({ error: "must be true or false" }).exactOptional(),
  },
  {
    error: unknownKey([
      ...["name", "description", "organizations", "sessions_max", "previews", "tables"],
    ]),
  },
);

/** Mistakes in an entry's organizations that the schema does not detect. */
export function checkOrganizations(
  { name, organizations = [] }: Binding,
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

/** The organizations of the valid entries. */
export function boundOrganizations(bindings: readonly Binding[]): BoundOrganizations {
  return new Map(
    bindings.flatMap(({ name, organizations }) =>
      organizations === undefined ? [] : [[name, organizations.map(organizationOf).map(accessOf)]],
    ),
  );
}

/** The session limit of each data source that sets one, by name. */
export function sessionLimits(bindings: readonly Binding[]): ReadonlyMap<string, number> {
  return new Map(
    bindings.flatMap(({ name, sessions_max: sessionsMax }) =>
      sessionsMax === undefined ? [] : [[name, sessionsMax]],
    ),
  );
}

/** The data sources whose writes are not previewed, by name. */
export function unpreviewed(bindings: readonly Binding[]): ReadonlySet<string> {
  return new Set(
    bindings.filter(({ previews }) => previews === false).map((binding) => binding.name),
  );
}

function accessOf(organization: Organization): OrganizationAccess {
  const url = urlOf(organization);
  const { id: orgId, role } = organization;
  return {
    orgId: orgId.toLowerCase(),
    ...(url === undefined ? {} : { url }),
    ...(role === undefined ? {} : { role }),
  };
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
