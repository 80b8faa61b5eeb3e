import type { CatalogRow, CatalogRows } from "../catalog/ports.js";
import type { StatementPolicy } from "../governance/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Ids } from "@steward/kernel/ids.js";
import { CATALOG_READ_MS, CATALOG_READ_WAIT_MS } from "../catalog/limits.js";
import type { Log } from "@steward/kernel/log.js";
import { type SqlTarget, StatementError } from "../plans/ports.js";

export interface TargetCatalogRowsParts {
  /** The databases that steps run on, by name. */
  readonly targets: ReadonlyMap<string, SqlTarget>;
  readonly policy: StatementPolicy;
  readonly ids: Ids;
  readonly log: Log;
}

/** Reads rows for the catalog in the way a step does, under the same limits and policies. */
export class TargetCatalogRows implements CatalogRows {
  readonly #parts: TargetCatalogRowsParts;

  constructor(parts: TargetCatalogRowsParts) {
    this.#parts = parts;
  }

  async read(
    caller: Caller,
    dataSource: string,
    sql: string,
    signal: AbortSignal,
  ): Promise<readonly CatalogRow[] | undefined> {
    const { targets, policy, ids, log } = this.#parts;
    const target = targets.get(dataSource);
    if (target === undefined) return undefined;
    const intent = "read_select";
    try {
      const { outputJson } = await target.run(
        {
          ...{ sql, intent, caller },
          binds: [],
          schemaTableHints: [],
          waitMs: CATALOG_READ_WAIT_MS,
          timeoutMs: CATALOG_READ_MS,
          // A read writes no marker. Therefore the attempt only names the organization whose turn
          // the read takes.
          attempt: { orgId: caller.orgId, planId: ids.uuid(), stepId: "catalog", attempt: 1 },
          permit: async (touched) => policy.permit(caller, { dataSource, intent, touched }),
        },
        signal,
      );
      // A target returns an array of row objects.
      return JSON.parse(outputJson) as readonly CatalogRow[];
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof StatementError) && !(error instanceof AppError)) throw error;
      log.debug({ err: error, dataSource }, "rows cannot be read for the catalog now");
      return undefined;
    }
  }
}

/** Used when the service has no store, and therefore opens no data sources. */
export const noCatalogRows: CatalogRows = { read: () => Promise.resolve(undefined) };
