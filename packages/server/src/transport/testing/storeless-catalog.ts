import { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { systemClock } from "@steward/kernel/clock.js";
import { noCatalogRows } from "../../adapters/catalog-rows.js";
import { CatalogService } from "../../catalog/index.js";
import { CheckedProvider, ZeroProvider } from "../../embedding/index.js";
import { silentLog } from "@steward/kernel/log.js";

/** The catalog of a server that has no data sources. */
export function storelessCatalog(): CatalogService {
  return new CatalogService({
    sources: [],
    tools: [],
    mcpTools: [],
    isStrict: false,
    access: new DataSourceAccess([]),
    policy: {
      looksAtData: () => Promise.resolve(false),
      permit: () => Promise.resolve({}),
      permits: () => Promise.resolve(true),
    },
    schemas: { of: () => Promise.resolve(undefined) },
    rows: noCatalogRows,
    earlier: { like: () => Promise.resolve([]) },
    provider: new CheckedProvider(new ZeroProvider(8), 8),
    notes: new Map(),
    clock: systemClock,
    log: silentLog,
  });
}
