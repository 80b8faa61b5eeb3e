import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BrowserSession, BrowserSessionStore } from "../../identity/ports.js";

/** An engine under test. */
export interface BrowserSessionStoreUnderTest extends AsyncDisposable {
  readonly browserSessions: BrowserSessionStore;
}

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";

/** A session derived from a number, with its hash and time. */
function sessionOf(number: number, over: Partial<BrowserSession> = {}): BrowserSession {
  return {
    orgId: ORG,
    idHash: String(number).padStart(64, "0"),
    owner: "key:1",
    proof: { kind: "apiKey", keyId: "1", secretHash: "a".repeat(64) },
    createdAtMs: 1_000 + number,
    lastUsedAtMs: 1_000 + number,
    expiresAtMs: 100_000,
    ...over,
  };
}

/**
 * The required behaviour of every engine for sessions of browsers. Within one test, each call of
 * `open` opens the same database, as a restarted process would.
 */
export function browserSessionBattery(
  engine: string,
  open: () => Promise<BrowserSessionStoreUnderTest>,
): void {
  describe(`browser sessions on ${engine}`, () => {
    let store: BrowserSessionStoreUnderTest;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store[Symbol.asyncDispose]());

    const remaining = async (...numbers: readonly number[]) => {
      const found = await Promise.all(
        numbers.map((number) => store.browserSessions.find(sessionOf(number).idHash)),
      );
      return numbers.filter((_number, index) => found[index] !== undefined);
    };

    it("are found by their hash as they were added, after a restart too", async () => {
      const principal = {
        orgId: ORG,
        kind: "person",
        authenticatedBy: "jwt",
        userId: "ada",
        roles: ["admin"],
        permissions: ["manage:billing"],
      } as const;
      const ofPerson = sessionOf(2, {
        ...{ orgId: OTHER_ORG, owner: "person:ada", proof: { kind: "openid", principal } },
      });
      await store.browserSessions.add(sessionOf(1), 5);
      await store.browserSessions.add(ofPerson, 5);
      await store[Symbol.asyncDispose]();
      store = await open();
      expect(await store.browserSessions.find(sessionOf(1).idHash)).toEqual(sessionOf(1));
      expect(await store.browserSessions.find(ofPerson.idHash)).toEqual(ofPerson);
      expect(await store.browserSessions.find(sessionOf(3).idHash)).toBeUndefined();
    });

    it("of one owner are limited: the oldest end", async () => {
      for (const number of [1, 2, 3]) await store.browserSessions.add(sessionOf(number), 2);
      await store.browserSessions.add(sessionOf(4, { owner: "key:2" }), 2);
      await store.browserSessions.add(sessionOf(5, { orgId: OTHER_ORG }), 2);
      expect(await remaining(1, 2, 3, 4, 5)).toEqual([2, 3, 4, 5]);
    });

    it("that have expired are deleted when their organization gets another one", async () => {
      await store.browserSessions.add(sessionOf(1, { expiresAtMs: 2_000 }), 9);
      await store.browserSessions.add(sessionOf(2, { orgId: OTHER_ORG, expiresAtMs: 2_000 }), 9);
      await store.browserSessions.add(sessionOf(3, { createdAtMs: 2_000 }), 9);
      expect(await remaining(1, 2, 3)).toEqual([2, 3]);
    });

    it("remember the latest use", async () => {
      await store.browserSessions.add(sessionOf(1), 5);
      await store.browserSessions.recordUse(sessionOf(1), 7_000);
      await store.browserSessions.recordUse(sessionOf(1), 6_000);
      expect(await store.browserSessions.find(sessionOf(1).idHash)).toMatchObject({
        lastUsedAtMs: 7_000,
      });
    });

    it("are removed by their organization only", async () => {
      await store.browserSessions.add(sessionOf(1), 5);
      await store.browserSessions.remove(sessionOf(1, { orgId: OTHER_ORG }));
      expect(await remaining(1)).toEqual([1]);
      await store.browserSessions.remove(sessionOf(1));
      await store.browserSessions.remove(sessionOf(1));
      expect(await remaining(1)).toEqual([]);
    });
  });
}
