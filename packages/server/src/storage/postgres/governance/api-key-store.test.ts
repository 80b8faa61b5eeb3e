import type { TestDatabase } from "@steward/test-postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ApiKeyService,
  ApiKeyVerifier,
  FailedAttempts,
  cachedVerification,
} from "../../../identity/index.js";
import { systemClock } from "@steward/kernel/clock.js";
import { silentLog } from "@steward/kernel/log.js";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { apiKeyBattery } from "../../testing/api-key-battery.js";
import { openTestStore } from "../testing/open-store.js";
import { storeDatabase } from "../testing/store-database.js";

let database: TestDatabase;
beforeEach(async () => {
  database = await storeDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

apiKeyBattery("PostgreSQL", () => openTestStore(database.url));

describe("an API key that two nodes take", () => {
  it("is refused by both within a second of its revocation at one", async () => {
    await using here = await openTestStore(database.url);
    await using there = await openTestStore(database.url);
    const keys = new ApiKeyService(here.apiKeys, systemClock, () => Promise.resolve(new Set()));
    const draft = {
      environment: "live",
      name: "k",
      roles: [],
      permissions: [],
      scopes: [],
    } as const;
    const { key, text } = await keys.create(ADMIN, draft);
    const nodes = [here, there].map(({ apiKeys }) => {
      const verifier = new ApiKeyVerifier({
        ...{ store: apiKeys, clock: systemClock, log: silentLog },
      });
      const attempts = new FailedAttempts(systemClock, silentLog);
      const verifyKey = cachedVerification((shown) => verifier.verify(shown), {
        ...{ clock: systemClock, attempts },
      });
      const verify = (shown: string) => verifyKey(shown, "127.0.0.1");
      return { verifier, verify };
    });
    for (const { verify } of nodes) await verify(text);
    await keys.revoke(ADMIN, key.keyId);
    const revokedAtMs = Date.now();
    for (const { verify, verifier } of nodes) {
      await expect
        .poll(() => verify(text).then(() => "taken", String), { interval: 20, timeout: 5_000 })
        .toContain("revoked");
      expect(Date.now() - revokedAtMs).toBeLessThan(1_000);
      await verifier[Symbol.asyncDispose]();
    }
    expect((await there.apiKeys.find(key.keyId))?.lastUsedAtMs).toBeDefined();
  });
});
