import type { OpenMemory } from "./rooms/memory.js";
import type { Clock } from "@steward/kernel/clock.js";
import { sharedResult } from "@steward/kernel/concurrency/shared-result.js";
import { AppError } from "@steward/kernel/errors.js";
import { READINESS_MS } from "./limits.js";
import type { DirectoryProbe } from "../storage/directory-probe.js";
import type { Store } from "../storage/store.js";
import type { Health, Readiness } from "../transport/services.js";

/**
 * Caches the result of a health check for {@link READINESS_MS}: probes are unauthenticated, so any
 * number of clients may ask.
 */
export class SharedHealth implements Health {
  readonly #health: Health;
  readonly #clock: Clock;
  #askedMs = -Infinity;
  #answer: Promise<Readiness> | undefined;
  #isStopping = false;

  constructor(health: Health, clock: Clock) {
    this.#health = health;
    this.#clock = clock;
  }

  /** From now on the service is not ready, although it still takes requests. */
  stop(): void {
    this.#isStopping = true;
  }

  readiness(): Promise<Readiness> {
    if (this.#isStopping) return Promise.resolve(STOPPING);
    const nowMs = this.#clock.nowMs();
    const ageMs = nowMs - this.#askedMs;
    // When the clock was set back, the cached result must not stay valid.
    if (this.#answer === undefined || ageMs >= READINESS_MS || ageMs < 0) {
      this.#askedMs = nowMs;
      this.#answer = this.#health.readiness();
    }
    return sharedResult(this.#answer, "");
  }
}

/**
 * The service is ready when requests, including writes, would succeed. A memory that lags behind is
 * reported, but does not make the service unready.
 * @param dataDir the directory of everything that is not in the store.
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
const STOPPING: Readiness = { ready: false, checks: { server: "it is shutting down" } };

type Outcome = { readonly state: string } | { readonly error: string };

async function outcomeOf(check: Promise<string>): Promise<Outcome> {
  try {
    return { state: await check };
  } catch (error) {
    return { error: AppError.from(error).message };
  }
}
