import type { Caller } from "../kernel/caller.js";
import type { DataSourceAccess } from "../kernel/data-source-access.js";
import { AppError, invalidField } from "../kernel/errors.js";
import { hasRole } from "../kernel/role-name.js";
import type { SchemaDatabase } from "./ports.js";

/** The databases that organizations have migrated, each its own where a data source has one for it. */
export class BoundDatabases {
  readonly #databases: ReadonlyMap<string, SchemaDatabase>;
  readonly #access: DataSourceAccess | undefined;

  /**
   * @param databases by the name of their data source, and those of single organizations by {@link ownDatabaseKey}.
   * @param access absent: every caller may use all of them.
   */
  constructor(databases: ReadonlyMap<string, SchemaDatabase>, access?: DataSourceAccess) {
    this.#databases = databases;
    this.#access = access;
  }

  /**
   * The database that a caller may have migrated, or look at as a whole.
   * @throws AppError `NOT_FOUND` when there is none of the name; `POLICY_DENIED` when it is not open to the caller's
   * organization, or several organizations share it and the caller is no operator.
   */
  require(caller: Caller, name: string): SchemaDatabase {
    const database = this.find(caller.orgId, name);
    if (database === undefined || name.includes(KEY_SEPARATOR)) {
      const known = this.#namesFor(caller).join(", ");
      throw new AppError(
        "NOT_FOUND",
        `There is no data source ${JSON.stringify(name)}; there are: ${known}`,
      );
    }
    this.#access?.require(caller, name);
    if (this.#access?.isShared(name) === true && !hasRole(caller, "operator")) {
      throw new AppError(
        "POLICY_DENIED",
        `Several organizations share the data source ${name}: its schema is migrated and read as a whole with the ` +
          "role operator only, or give each organization a url of its own in the tools file",
      );
    }
    return database;
  }

  /** The database of an organization; undefined when there is none of the name. */
  find(orgId: string, name: string): SchemaDatabase | undefined {
    return this.#databases.get(ownDatabaseKey(name, orgId)) ?? this.#databases.get(name);
  }

  /** Whether the history of a database's schema would tell one organization of others. */
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

  /** The name of the only data source that a caller may use. @throws AppError `INVALID_ARGUMENT` when there are several. */
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

/** What the database is known by that an organization has of a data source. */
export function ownDatabaseKey(name: string, orgId: string): string {
  return `${name}${KEY_SEPARATOR}${orgId}`;
}

/** No name of a data source has one. */
const KEY_SEPARATOR = "@";
