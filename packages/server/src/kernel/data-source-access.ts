import { type Caller, isVouchedFor } from "./caller.js";
import { AppError } from "./errors.js";

/** How one organization reaches a data source that is bound to it. */
export interface OrganizationAccess {
  /** UUID, lower case. */
  readonly orgId: string;
  /** A database of its own; absent: the data source's. */
  readonly url?: string;
  /** On PostgreSQL, the role that its statements have; absent: the one that logs in. */
  readonly role?: string;
}

/** A data source, and the organizations that it is bound to. */
export interface BoundDataSource {
  readonly name: string;
  /** Absent: the tools file binds it to none. */
  readonly organizations?: readonly OrganizationAccess[];
}

/**
 * Which organizations may use which data sources (Decision §15). One that the tools file binds is open to the
 * organizations that stand there. Any other one is open to everybody where nobody vouches for who callers are, and
 * else to the service's only organization, where one is configured.
 */
export class DataSourceAccess {
  readonly #sources: ReadonlyMap<string, readonly OrganizationAccess[] | undefined>;
  readonly #organization: string | undefined;

  /** @param organization the service's only one; absent: there may be several. */
  constructor(sources: readonly BoundDataSource[], organization?: string) {
    this.#sources = new Map(sources.map((source) => [source.name, source.organizations]));
    this.#organization = organization;
  }

  /** How an organization reaches a data source that is bound to it; undefined when it is not. */
  accessOf(orgId: string, dataSource: string): OrganizationAccess | undefined {
    return this.#sources.get(dataSource)?.find((access) => access.orgId === orgId);
  }

  /** Why a caller may not use a data source; undefined when they may, or when there is none of the name. */
  refusal(caller: Caller, dataSource: string): string | undefined {
    if (!this.#sources.has(dataSource)) return undefined;
    if (this.#sources.get(dataSource) !== undefined) {
      if (this.accessOf(caller.orgId, dataSource) !== undefined) return undefined;
      return `The data source ${dataSource} is not open to your organization: use a tool on another one, or have it listed under data_sources in the tools file`;
    }
    if (this.#organization === undefined ? !isVouchedFor(caller) : this.#isOwn(caller)) {
      return undefined;
    }
    return (
      `The data source ${dataSource} is bound to no organization: have yours listed under data_sources in the tools ` +
      "file, or SERVICE_ORGANIZATION set to it where the service has one organization only"
    );
  }

  /** @throws AppError `POLICY_DENIED`, as {@link refusal} says. */
  require(caller: Caller, dataSource: string): void {
    const refusal = this.refusal(caller, dataSource);
    if (refusal !== undefined) throw new AppError("POLICY_DENIED", refusal);
  }

  /** Whether several organizations reach one database under this name, so that its schema is no single one's. */
  isShared(dataSource: string): boolean {
    const shared = this.#sources.get(dataSource)?.filter(({ url }) => url === undefined) ?? [];
    return shared.length > 1;
  }

  #isOwn({ orgId }: Caller): boolean {
    return orgId === this.#organization;
  }
}
