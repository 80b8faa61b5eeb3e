import { describe, it } from "vitest";
import { keepsApart } from "../testing/isolation/isolation-rounds.js";
import { ENGINES } from "../testing/isolation/world.js";

describe.each(ENGINES)("organizations on %s", (engine) => {
  it("learn nothing of each other, however many requests they send", async () => {
    await keepsApart(engine, { requests: 3_000, everyMode: true });
  });
});
