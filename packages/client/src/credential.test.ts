import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createClient } from "./client.js";
import { StewardError } from "./steward-error.js";

const SECRET = "b".repeat(64);
const KEY = `stw_live_${"a".repeat(24)}_${SECRET}`;

describe("a client with an API key or a token", () => {
  it.each([{ apiKey: KEY }, { token: KEY }])("shows it with every call", async (credential) => {
    const shown: (string | null)[] = [];
    const client = createClient({
      baseUrl: "http://127.0.0.1:1",
      ...credential,
      fetch: async (_url, init) => {
        shown.push(new Headers(init?.headers).get("authorization"));
        return Response.json({ data: { plans: [] } });
      },
    });
    await client.plans.listPlans();
    expect(shown).toEqual([`Bearer ${KEY}`]);
  });

  it("has it in no text that is made of the client or of its errors", async () => {
    const client = createClient({
      ...{ baseUrl: "http://127.0.0.1:1", apiKey: KEY, maxRetries: 0 },
    });
    const unreachable = await client.plans.listPlans().catch((error: unknown) => error);
    expect(unreachable).toBeInstanceOf(StewardError);
    for (const value of [client, client.plans, unreachable]) {
      const texts = [inspect(value, { depth: 9, showHidden: true }), JSON.stringify(value)];
      expect(`${texts.join()}${String(value)}`).not.toContain(SECRET);
    }
  });

  it.each([`${KEY}\nx`, "", "ünknown"])(
    "is not made with a malformed one, nor repeats it",
    (text) => {
      const make = () => createClient({ baseUrl: "http://127.0.0.1:1", apiKey: text });
      expect(make).toThrow("apiKey or token is malformed");
      expect(make).not.toThrow(SECRET);
    },
  );
});
