import type { Caller } from "@steward/kernel/caller.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { hasRole } from "@steward/kernel/role-name.js";
import type { SchemaDatabase } from "../ports.js";

/**
 * Resolves data source names to the databases that organizations may migrate. A data source may
 * have a separate database for an organization.
 */
export class BoundDatabases {
  readonly #databases: ReadonlyMap<string, SchemaDatabase>;
  readonly #access: DataSourceAccess | undefined;

  /**
   * @param databases by data source name; the databases of single organizations by {@link
   * ownDatabaseKey}.
   * @param access absent: every caller may use all of them.
   */
  constructor(databases: ReadonlyMap<string, SchemaDatabase>, access?: DataSourceAccess) {
    this.#databases = databases;
    this.#access = access;
  }

  /**
   * The database of a data source, for a caller who migrates it or reads its whole schema.
   * @throws AppError `NOT_FOUND` when no data source has this name. `POLICY_DENIED` when the data
   * source is not bound to the caller's organization, or when several organizations share the
   * database and the caller is no operator.
   */
  require(caller: Caller, name: string): SchemaDatabase {
    const database = this.find(caller.orgId, name);
    if (database === undefined || name.includes(KEY_SEPARATOR)) {
      const known = this.#namesFor(caller).join(", ");
      throw new AppError(
        "NOT_FOUND",
        `There is no data source ${JSON.stringify(name)}; the data sources are: ${known}`,
      );
    }
    this.#access?.require(caller, name);
    if (this.#access?.isShared(name) === true && !hasRole(caller, "operator")) {
      throw new AppError(
        "POLICY_DENIED",
        `Several organizations share the data source ${name}: only the role operator may read and migrate ` +
          "its schema, unless the tools file gives each organization a url of its own",
      );
    }
    return database;
  }

  /** An organization's database of a data source; undefined when there is none. */
  find(orgId: string, name: string): SchemaDatabase | undefined {
    return this.#databases.get(ownDatabaseKey(name, orgId)) ?? this.#databases.get(name);
  }

  /**
   * Whether several organizations share the database. Its history must not be shown then, because
   * it would reveal one organization's changes to the others.
   */
  isShared(name: string): boolean {
    return this.#access?.isShared(name) ?? false;
  }

  /** The keys of the databases that a caller may read. */
  keysFor(caller: Caller): readonly string[] {
    return this.#namesFor(caller).map((name) => {
      const own = ownDatabaseKey(name, caller.orgId);
      return this.#databases.has(own) ? own : name;
    });
  }

  /**
   * The name of the only data source that the caller may use.
   * @throws AppError `INVALID_ARGUMENT` when there are several.
   */
  onlyName(caller: Caller): string {
    const [first, ...others] = this.#namesFor(caller);
    if (first !== undefined && others.length === 0) return first;
    throw invalidField("database", `must name a data source: ${[first, ...others].join(", ")}`);
  }

  #namesFor(caller: Caller): readonly string[] {
    const names = [...this.#databases.keys()].filter((key) => !key.includes(KEY_SEPARATOR));
    return names.filter((name) => this.#access?.refusal(caller, name) === undefined);
  }
}

/** The key of an organization's own database of a data source. */
export function ownDatabaseKey(name: string, orgId: string): string {
  return `${name}${KEY_SEPARATOR}${orgId}`;
}

/** Not allowed in the name of a data source. */
const KEY_SEPARATOR = "@";
