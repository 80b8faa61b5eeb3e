import { createHash } from "node:crypto";
import type { StateErasure } from "@steward/state/ports";
import type { Config } from "../../config/index.js";
import type { DisposalStack } from "../../kernel/disposal.js";
import {
  Eraser,
  ErasureService,
  noErasedRows,
  noErasures,
  noRetentionStore,
  RetentionService,
  RetentionSweeper,
} from "../../retention/index.js";
import type { Log } from "@steward/kernel/log.js";
import type { MarkedSource } from "../../plans/ports.js";
import type { ErasedMarkers } from "../../retention/ports.js";
import type { Store } from "../../storage/store.js";
import type { Services } from "../../transport/services.js";
import type { UsageRecorder } from "../../usage/index.js";
import type { Basics } from "./basics.js";
import type { OpenMemory } from "./memory.js";

/** Dependencies of retention. */
export interface RetentionParts extends Basics {
  readonly config: Pick<Config, "retention">;
  readonly store: Store | undefined;
  readonly memory: OpenMemory;
  readonly recorder: UsageRecorder;
  /** Absent without a store. */
  readonly state: StateErasure | undefined;
  /** The data sources by name. */
  readonly targets: ReadonlyMap<string, MarkedSource>;
  /** Resolves when what happened before the call has its records in the audit log. */
  readonly flushAudit: () => Promise<void>;
}

/** Opens the deletion of expired and of erased data, and the services that control it. */
export function openRetention(
  { config, store, memory, recorder, state, targets, flushAudit, ...basics }: RetentionParts,
  opened: DisposalStack,
): Pick<Services, "retention" | "erasures"> {
  const workers = openWorkers(
    { config, store, memory, recorder, state, targets, flushAudit, ...basics },
    opened,
  );
  const { clock, ids } = basics;
  return {
    retention: new RetentionService({
      ...{ rules: config.retention, clock, ids },
      onChanged: () => workers?.sweeper.wake(),
      store: store?.retention ?? noRetentionStore,
    }),
    erasures: new ErasureService({
      ...{ clock, ids, store: store?.retention ?? noRetentionStore },
      ...{ erasures: store?.erasures ?? noErasures, rows: store?.erased ?? noErasedRows },
      sha256: (text) => createHash("sha256").update(text).digest("hex"),
      onBegun: () => workers?.eraser.wake(),
    }),
  };
}

/** Without a store there is nothing to delete. */
function openWorkers(
  { config, store, memory, recorder, state, targets, flushAudit, ...basics }: RetentionParts,
  opened: DisposalStack,
): { readonly sweeper: RetentionSweeper; readonly eraser: Eraser } | undefined {
  if (store === undefined || memory.expired === undefined || state === undefined) return undefined;
  const common = {
    ...{ ...basics, store: store.retention, rows: store.expired, entries: memory.expired },
    withUsage: <Result>(work: () => Promise<Result>) => recorder.exclusively(work),
  };
  const { archive } = store.audit;
  const audit = { flush: flushAudit, erase: archive.erase.bind(archive) };
  return {
    sweeper: opened.use(new RetentionSweeper({ ...common, rules: config.retention })),
    eraser: opened.use(
      new Eraser({
        ...{ ...common, erasures: store.erasures, erased: store.erased, plans: store.plans },
        ...{
          planNames: store.erasedPlanNames,
          audit,
          state,
          markers: markersIn(targets, basics.log),
        },
      }),
    ),
  };
}

/** The markers of all data sources. One that cannot be reached keeps them until its next write. */
function markersIn(targets: ReadonlyMap<string, MarkedSource>, log: Log): ErasedMarkers {
  return {
    async erase(orgId, planIds) {
      for (const [dataSource, target] of targets) {
        try {
          await target.deleteMarkers(orgId, planIds);
        } catch (error) {
          log.warn(
            { dataSource, orgId, err: error },
            "the results of erased plans stay in _steward_steps of this data source until its next write",
          );
        }
      }
    },
  };
}
