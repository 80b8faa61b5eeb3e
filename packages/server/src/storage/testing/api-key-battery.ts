import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiKey, ApiKeyStore } from "../../identity/ports.js";

/** An engine under test. */
export interface ApiKeyStoreUnderTest extends AsyncDisposable {
  readonly apiKeys: ApiKeyStore;
}

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";

/** A key derived from a number, with its id and hashes. */
function keyOf(number: number, over: Partial<ApiKey> = {}): ApiKey {
  return {
    orgId: ORG,
    keyId: String(number).padStart(24, "0"),
    environment: "live",
    name: `key ${String(number)}`,
    roles: [],
    permissions: [],
    scopes: [],
    createdAtMs: 1_000 + number,
    secretHash: String(number).padStart(64, "a"),
    ...over,
  };
}

/**
 * The required behaviour of every engine for API keys. Within one test, each call of `open` opens
 * the same database, as a restarted process would.
 */
export function apiKeyBattery(engine: string, open: () => Promise<ApiKeyStoreUnderTest>): void {
  describe(`API keys on ${engine}`, () => {
    let store: ApiKeyStoreUnderTest;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store[Symbol.asyncDispose]());

    it("are found by their id as they were added, after a restart too", async () => {
      const whole = keyOf(1, {
        ...{ agentId: "invoice-agent", userId: "ada", expiresAtMs: 9_000_000_000_000 },
        ...{ roles: ["viewer"], permissions: ["manage:billing"], scopes: ["plans:read"] },
      });
      await store.apiKeys.add(whole);
      await store.apiKeys.add(keyOf(2));
      await store[Symbol.asyncDispose]();
      store = await open();
      expect(await store.apiKeys.find(whole.keyId)).toEqual(whole);
      expect(await store.apiKeys.find(keyOf(2).keyId)).toEqual(keyOf(2));
      expect(await store.apiKeys.find(keyOf(3).keyId)).toBeUndefined();
    });

    it("are listed newest first, a page at a time, each organization's own", async () => {
      const sameTime = { createdAtMs: 5_000 };
      for (const key of [keyOf(1), keyOf(2, sameTime), keyOf(3, sameTime)]) {
        await store.apiKeys.add(key);
      }
      await store.apiKeys.add(keyOf(4, { orgId: OTHER_ORG }));
      const ids = (keys: readonly ApiKey[]) => keys.map(({ keyId }) => Number(keyId));
      expect(ids(await store.apiKeys.list(ORG, 10))).toEqual([3, 2, 1]);
      const first = await store.apiKeys.list(ORG, 2);
      expect(ids(first)).toEqual([3, 2]);
      expect(ids(await store.apiKeys.list(ORG, 2, first[1]))).toEqual([1]);
      expect(ids(await store.apiKeys.list(OTHER_ORG, 10))).toEqual([4]);
    });

    it("keep the secret before a rotation, and none before that", async () => {
      const key = keyOf(1);
      await store.apiKeys.add(key);
      const [second, third] = ["b".repeat(64), "c".repeat(64)];
      expect(await store.apiKeys.rotate(key, second, 7_000)).toBe(true);
      expect(await store.apiKeys.rotate(key, third, 8_000)).toBe(true);
      expect(await store.apiKeys.find(key.keyId)).toEqual({
        ...key,
        secretHash: third,
        previous: { secretHash: second, untilMs: 8_000 },
      });
    });

    it("are revoked for good, at the first time that this was asked for", async () => {
      const key = keyOf(1);
      await store.apiKeys.add(key);
      expect(await store.apiKeys.revoke(ORG, key.keyId, 7_000)).toBe(true);
      expect(await store.apiKeys.revoke(ORG, key.keyId, 8_000)).toBe(true);
      expect(await store.apiKeys.rotate(key, "b".repeat(64), 9_000)).toBe(false);
      expect(await store.apiKeys.find(key.keyId)).toEqual({ ...key, revokedAtMs: 7_000 });
    });

    it("are another organization's to nobody", async () => {
      const key = keyOf(1);
      await store.apiKeys.add(key);
      expect(await store.apiKeys.revoke(OTHER_ORG, key.keyId, 7_000)).toBe(false);
      const theirs = { orgId: OTHER_ORG, keyId: key.keyId };
      expect(await store.apiKeys.rotate(theirs, "b".repeat(64), 9_000)).toBe(false);
      expect(await store.apiKeys.find(key.keyId)).toEqual(key);
    });

    it("remember the latest use", async () => {
      const [one, two] = [keyOf(1), keyOf(2)];
      await store.apiKeys.add(one);
      await store.apiKeys.add(two);
      const use = (key: ApiKey, usedAtMs: number) => ({ ...key, usedAtMs });
      await store.apiKeys.recordUses([use(one, 7_000), use(two, 7_500)]);
      await store.apiKeys.recordUses([use(one, 6_000)]);
      expect(await store.apiKeys.find(one.keyId)).toEqual({ ...one, lastUsedAtMs: 7_000 });
      expect(await store.apiKeys.find(two.keyId)).toEqual({ ...two, lastUsedAtMs: 7_500 });
    });
  });
}
