import { describe, it } from "vitest";
import { keepsApart } from "../testing/isolation/isolation-rounds.js";
import { ENGINES } from "../testing/isolation/world.js";

describe.each(ENGINES)("organizations on %s", (engine) => {
  it("learn nothing of each other by any operation, in any mode that vouches for callers", async () => {
    await keepsApart(engine, { requests: 25, everyMode: false });
  }, 120_000);
});
