import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { noRetentionStore, RetentionService } from "../../retention/index.js";

/** Retention of a server without a store. */
export function unkeptRetention(): RetentionService {
  return new RetentionService({
    rules: { periods: {}, mayBeLonger: false },
    store: noRetentionStore,
    clock: systemClock,
    ids: systemIds(systemClock),
  });
}
