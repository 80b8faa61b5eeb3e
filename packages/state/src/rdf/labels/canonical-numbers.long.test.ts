import { describe, it } from "vitest";
import { expectInvariance } from "./testing/numbering.js";

describe("the canonical order, long", () => {
  it("does not depend on labels or on the order of quads", { timeout: 300_000 }, () => {
    expectInvariance(3000);
  });
});
