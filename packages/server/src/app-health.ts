import type { OpenMemory } from "./app-memory.js";
import { AppError } from "./kernel/errors.js";
import type { DirectoryProbe } from "./storage/directory-probe.js";
import type { Store } from "./storage/store.js";
import type { Health } from "./transport/services.js";

/**
 * Ready is who can do what requests ask for, writing included. Memory that lags behind is told of, and
 * no reason to send requests elsewhere.
 * @param dataDir where everything is kept that is not in the store.
 */
export function healthOf(
  store: Store | undefined,
  memory: OpenMemory,
  dataDir: DirectoryProbe,
): Health {
  return {
    readiness: async () => {
      if (store === undefined) return { ready: true, checks: { store: "none" } };
      const [kept, disk] = await Promise.all([
        outcomeOf(store.check().then(() => memory.state())),
        outcomeOf(dataDir.recently().then(() => OK)),
      ]);
      const checks = {
        store: "error" in kept ? kept.error : OK,
        data_dir: "error" in disk ? disk.error : disk.state,
        ...("error" in kept ? {} : { memory: kept.state }),
      };
      return { ready: checks.store === OK && checks.data_dir === OK, checks };
    },
  };
}

const OK = "ok";

type Outcome = { readonly state: string } | { readonly error: string };

async function outcomeOf(check: Promise<string>): Promise<Outcome> {
  try {
    return { state: await check };
  } catch (error) {
    return { error: AppError.from(error).message };
  }
}
