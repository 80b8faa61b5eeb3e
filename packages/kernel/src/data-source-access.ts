import { type Caller, isVouchedFor } from "./caller.js";
import { AppError } from "./errors.js";
import { hasRole } from "./role-name.js";

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

/** A tool of the tools file that not everybody may call who may use its data source. */
export interface RestrictedTool {
  readonly name: string;
  /** Ids of organizations, in lower case; absent: all. */
  readonly organizations?: readonly string[];
  /** A caller needs one of them; absent: none. */
  readonly roles?: readonly string[];
}

/** What a step runs, and where. */
interface RunByStep {
  readonly dataSource: string;
  readonly toolName: string;
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
  readonly #tools: ReadonlyMap<string, RestrictedTool>;

  /** @param organization the only organization of the service; absent when there may be several. */
  constructor(
    sources: readonly BoundDataSource[],
    organization?: string,
    tools: readonly RestrictedTool[] = [],
  ) {
    this.#sources = new Map(sources.map((source) => [source.name, source]));
    this.#organization = organization;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
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

  /** The reason why a caller may not run a step: because of its data source, or of its tool. */
  stepRefusal(caller: Caller, { dataSource, toolName }: RunByStep): string | undefined {
    return this.refusal(caller, dataSource) ?? this.toolRefusal(caller, toolName);
  }

  /** The reason why a caller may not call a tool, whatever its data source; undefined when there is none. */
  toolRefusal(caller: Caller, toolName: string): string | undefined {
    const { organizations, roles } = this.#tools.get(toolName) ?? {};
    if (organizations?.includes(caller.orgId) === false) {
      return `The tool ${toolName} is not open to your organization: have it listed under the tool's organizations in the tools file`;
    }
    if (roles === undefined || roles.some((role) => hasRole(caller, role))) return undefined;
    return `The tool ${toolName} is only for callers with ${roles.length === 1 ? "the role" : "one of the roles"} ${roles.join(", ")}`;
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
