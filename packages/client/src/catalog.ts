import type {
  Catalog as CatalogListing,
  CatalogDataSourceCheck,
  CatalogDescription,
  CatalogMatch,
  CatalogSearchRequest,
  CatalogTablePage,
  CatalogTableQuery,
  DescribeTableRequest,
} from "@steward/protocol/rest";
import type { Http } from "./http.js";
import type { CallOptions } from "./plans.js";

/** The catalog: the routes under `/api/catalog`. Calls reject with a StewardError. */
export interface Catalog {
  /** The tools and data sources that the caller may use. */
  list(options?: CallOptions): Promise<CatalogListing>;
  /** Runs a small query on each data source that the caller may read. */
  checkDataSources(options?: CallOptions): Promise<readonly CatalogDataSourceCheck[]>;
  /** One page of a data source's tables, by name, with what the caller may read of them. */
  tables(query: CatalogTableQuery, options?: CallOptions): Promise<CatalogTablePage>;
  /** The tables that answer a question best, best first. */
  search(request: CatalogSearchRequest, options?: CallOptions): Promise<readonly CatalogMatch[]>;
  /** Describes a table for an LLM, within a budget of tokens. */
  describe(request: DescribeTableRequest, options?: CallOptions): Promise<CatalogDescription>;
}

export function createCatalog(http: Http): Catalog {
  const path = "/api/catalog";
  const post = <Payload>(
    name: string,
    body: object,
    { signal }: CallOptions = {},
  ): Promise<Payload> =>
    http.call({ method: "POST", path: `${path}/${name}`, body, idempotent: true, signal });
  return {
    list: ({ signal } = {}) => http.call({ method: "GET", path, idempotent: true, signal }),
    checkDataSources: ({ signal } = {}) =>
      http.call({ method: "GET", path: `${path}/check`, idempotent: true, signal }),
    tables: (query, { signal } = {}) =>
      http.call({
        ...{ method: "GET", path: `${path}/tables`, query: { ...query } },
        ...{ idempotent: true, signal },
      }),
    search: (request, options) => post("search", request, options),
    describe: (request, options) => post("describe", request, options),
  };
}
