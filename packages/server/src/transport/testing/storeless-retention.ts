import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import {
  ErasureService,
  noErasedRows,
  noErasures,
  noRetentionStore,
  RetentionService,
} from "../../retention/index.js";

/** Retention of a server without a store. */
export function storelessRetention(): RetentionService {
  return new RetentionService({
    rules: { periods: {}, mayBeLonger: false },
    onChanged: () => undefined,
    store: noRetentionStore,
    clock: systemClock,
    ids: systemIds(systemClock),
  });
}

/** Erasures of a server without a store. */
export function storelessErasures(): ErasureService {
  return new ErasureService({
    ...{ erasures: noErasures, rows: noErasedRows, store: noRetentionStore },
    sha256: (text) => text,
    onBegun: () => undefined,
    clock: systemClock,
    ids: systemIds(systemClock),
  });
}
