import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { POLICY_VERSIONS_KEPT } from "../../policies/limits.js";
import type { OrganizationPolicies, PolicyStore } from "../../policies/ports.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";

function version(number: number, orgId = ORG): OrganizationPolicies {
  const text = `// é ${String(number)}`;
  return { orgId, version: number, text, changedBy: "ada", changedAtMs: 1_000 + number };
}

/**
 * The required behaviour of every engine for policies. Within one test, each call of `open` opens
 * the same database.
 */
export function policyBattery(
  engine: string,
  open: () => Promise<AsyncDisposable & { readonly policies: PolicyStore }>,
): void {
  describe(`policies on ${engine}`, () => {
    let store: Awaited<ReturnType<typeof open>>;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store[Symbol.asyncDispose]());

    it("are the latest version of an organization's own, after a restart too", async () => {
      expect(await store.policies.latest(ORG)).toBeUndefined();
      for (const next of [version(1), version(2), version(1, OTHER_ORG)]) {
        expect(await store.policies.put(next)).toBe(true);
      }
      await store[Symbol.asyncDispose]();
      store = await open();
      expect(await store.policies.latest(ORG)).toEqual(version(2));
      expect(await store.policies.latest(OTHER_ORG)).toEqual(version(1, OTHER_ORG));
    });

    it("are put only as the version after the latest, and by one of those who try at once", async () => {
      expect(await store.policies.put(version(2))).toBe(false);
      const tries = [1, 2, 3].map(() => store.policies.put(version(1)));
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
      expect(await store.policies.put(version(1))).toBe(false);
      expect(await store.policies.put(version(2))).toBe(true);
    });

    it("go on when old versions are no longer kept", async () => {
      for (let n = 1; n <= POLICY_VERSIONS_KEPT + 2; n += 1) {
        expect(await store.policies.put(version(n))).toBe(true);
      }
      expect(await store.policies.latest(ORG)).toEqual(version(POLICY_VERSIONS_KEPT + 2));
    });
  });
}
