import { describe, expect, it } from "vitest";
import { Tally } from "./tally.js";

describe("a tally", () => {
  it("lets each party have as much under way as the limit, whatever the others have", () => {
    const tally = new Tally(2);
    const first = tally.enter("a");
    tally.enter("a");
    expect(tally.enter("a")).toBeUndefined();
    expect(tally.enter("b")).toBeDefined();
    first?.();
    expect(tally.enter("a")).toBeDefined();
  });

  it("counts each off once", () => {
    const tally = new Tally(2);
    const first = tally.enter("a");
    tally.enter("a");
    first?.();
    first?.();
    tally.enter("a");
    expect(tally.enter("a")).toBeUndefined();
  });
});
