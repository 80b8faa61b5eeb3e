import { SystemService } from "../../system/index.js";

/** What operators see of a server without a store. */
export function storelessSystem(): SystemService {
  return new SystemService({
    ...{ server: "0.1.0", node: process.versions.node },
    ...{ store: undefined, sinks: [], settings: undefined },
  });
}
