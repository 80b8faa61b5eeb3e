import { afterAll, beforeAll, describe, it } from "vitest";
import type { Wire } from "./client.js";
import { scenarios } from "./scenarios/index.js";
import { Steward } from "./steward.js";

/** Runs every scenario of a wire against one server; each is an organization of its own. */
export function conformOver(wire: Wire): void {
  describe(`over ${wire}`, () => {
    let steward: Steward | undefined;
    beforeAll(async () => {
      steward = await Steward.start({ SERVICE_EMBEDDING_PROVIDER: "hash" });
    });
    afterAll(() => steward?.[Symbol.asyncDispose]());

    for (const { title, run } of scenarios.filter(({ over }) => over.includes(wire))) {
      it(title, async () => {
        if (steward === undefined) throw new Error("the server did not start");
        await run({ steward, client: steward.client(wire) });
      });
    }
  });
}
