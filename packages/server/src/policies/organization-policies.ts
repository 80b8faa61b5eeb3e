import type { Clock } from "@steward/kernel/clock.js";
import { sharedResult } from "@steward/kernel/concurrency/shared-result.js";
import { COMPILED_POLICY_SETS_MAX, POLICIES_BELIEVED_MS } from "./limits.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { CompiledPolicies, PolicyEngine, PolicySource, PolicyStore } from "./ports.js";

/** Dependencies of the organizations' policies. */
export interface OrganizationPoliciesParts {
  readonly engine: PolicyEngine;
  readonly store: PolicyStore;
  readonly clock: Clock;
  /** The shipped policies, as text. */
  readonly shipped: string;
  /** Policies, as text, for organizations without any of their own; absent: none. */
  readonly untilOwn?: string | undefined;
}

/** The cached policies of one organization. */
interface Known {
  version: number;
  policies: CompiledPolicies;
  readUntilMs: number;
  reading: Promise<CompiledPolicies> | undefined;
}

/**
 * The shipped policies together with an organization's own. The store is read again after half a
 * second, so that a change applies on every node within a second, even if notifications between
 * nodes are lost.
 */
export class OrganizationPolicySource implements PolicySource {
  readonly #parts: OrganizationPoliciesParts;
  readonly shipped: CompiledPolicies;
  /** In force for an organization that has never put policies of its own. */
  readonly #untilOwn: CompiledPolicies;
  readonly #known = new RecentMap<Known>(COMPILED_POLICY_SETS_MAX);

  constructor(parts: OrganizationPoliciesParts) {
    this.#parts = parts;
    const { engine, shipped, untilOwn } = parts;
    this.shipped = engine.compile([shipped]);
    this.#untilOwn =
      untilOwn === undefined ? this.shipped : engine.compile([`${shipped}\n${untilOwn}`]);
  }

  of(orgId: string): CompiledPolicies | Promise<CompiledPolicies> {
    const known = this.#known.get(orgId) ?? this.#unread(orgId);
    if (this.#parts.clock.nowMs() < known.readUntilMs) return known.policies;
    known.reading ??= this.#read(orgId, known).finally(() => {
      known.reading = undefined;
    });
    return sharedResult(known.reading, orgId);
  }

  #unread(orgId: string): Known {
    const known = { version: 0, policies: this.#untilOwn, readUntilMs: 0, reading: undefined };
    this.#known.set(orgId, known);
    return known;
  }

  /** The roles that they name. @throws AppError `STORE_UNAVAILABLE`. */
  async roles(orgId: string): Promise<ReadonlySet<string>> {
    return (await this.of(orgId)).roles;
  }

  /** The next request reads them again. */
  changed(orgId: string): void {
    const known = this.#known.get(orgId);
    if (known !== undefined) known.readUntilMs = 0;
  }

  async #read(orgId: string, known: Known): Promise<CompiledPolicies> {
    const { store, engine, clock, shipped } = this.#parts;
    const askedAtMs = clock.nowMs();
    const latest = await store.latest(orgId).catch((error: unknown) => {
      // While the store is unavailable, the policies that were read last stay in force.
      if (known.readUntilMs > 0) return undefined;
      throw error;
    });
    if (latest !== undefined && latest.version !== known.version) {
      known.policies = engine.compile([shipped, latest.text]);
      known.version = latest.version;
    }
    known.readUntilMs = askedAtMs + POLICIES_BELIEVED_MS;
    return known.policies;
  }
}
