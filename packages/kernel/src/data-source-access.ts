import { type Caller, isVouchedFor } from "./caller.js";
import { AppError } from "./errors.js";

/** How one organization reaches a data source that is bound to it. */
export interface OrganizationAccess {
  /** UUID, lower case. */
  readonly orgId: string;
  /**
   * URL of the organization's own database. Absent: the organization uses the data source's
   * database.
   */
  readonly url?: string;
  /** On PostgreSQL, the role that the organization's statements run as. Absent: the login role. */
  readonly role?: string;
}

/** A data source, or a tool of another MCP server, and the organizations that it is bound to. */
export interface BoundDataSource {
  readonly name: string;
  /** Where the tools file lists it; absent: `data_sources`. */
  readonly listedUnder?: "mcp_servers";
  /** Absent: the tools file binds the data source to no particular organization. */
  readonly organizations?: readonly OrganizationAccess[];
}

/**
 * Decides which organizations may use which data sources (Decision §15). A data source that the
 * tools file binds is open to the organizations listed there. An unbound data source is open to
 * everybody when callers are not authenticated. When callers are authenticated, an unbound data
 * source is open only to the service's single configured organization.
 */
export class DataSourceAccess {
  readonly #sources: ReadonlyMap<string, BoundDataSource>;
  readonly #organization: string | undefined;

  /** @param organization the only organization of the service; absent when there may be several. */
  constructor(sources: readonly BoundDataSource[], organization?: string) {
    this.#sources = new Map(sources.map((source) => [source.name, source]));
    this.#organization = organization;
  }

  /**
   * How an organization reaches a data source; undefined when the data source is not bound to the
   * organization.
   */
  accessOf(orgId: string, dataSource: string): OrganizationAccess | undefined {
    return this.#sources.get(dataSource)?.organizations?.find((access) => access.orgId === orgId);
  }

  /**
   * The reason why a caller may not use a data source. Undefined when the caller may use it, and
   * when no data source has this name.
   */
  refusal(caller: Caller, dataSource: string): string | undefined {
    const source = this.#sources.get(dataSource);
    if (source === undefined) return undefined;
    const { organizations, listedUnder = "data_sources" } = source;
    const what = listedUnder === "data_sources" ? "data source" : "tool";
    if (organizations !== undefined) {
      if (this.accessOf(caller.orgId, dataSource) !== undefined) return undefined;
      return `The ${what} ${dataSource} is not open to your organization: use a tool on another one, or have it listed under ${listedUnder} in the tools file`;
    }
    if (this.#organization === undefined ? !isVouchedFor(caller) : this.#isOwn(caller)) {
      return undefined;
    }
    return (
      `The ${what} ${dataSource} is bound to no organization: have yours listed under ${listedUnder} in the tools ` +
      "file, or SERVICE_ORGANIZATION set to it where the service has one organization only"
    );
  }

  /** @throws AppError `POLICY_DENIED` with the reason from {@link refusal}. */
  require(caller: Caller, dataSource: string): void {
    const refusal = this.refusal(caller, dataSource);
    if (refusal !== undefined) throw new AppError("POLICY_DENIED", refusal);
  }

  /** Whether several organizations share the database behind this data source. */
  isShared(dataSource: string): boolean {
    const shared =
      this.#sources.get(dataSource)?.organizations?.filter(({ url }) => url === undefined) ?? [];
    return shared.length > 1;
  }

  #isOwn({ orgId }: Caller): boolean {
    return orgId === this.#organization;
  }
}
