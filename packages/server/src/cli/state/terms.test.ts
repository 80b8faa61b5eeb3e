import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonTerm, termText } from "@steward/state";
import { anyObject } from "@steward/state/testing/quads.js";
import { showTerm, termOf } from "./terms.js";

describe("a term of an answer", () => {
  it("is the term that the server sent, triple terms and base directions included", () => {
    fc.assert(
      fc.property(anyObject, (term) => {
        expect(termOf(jsonTerm(term))).toEqual(term);
        expect(showTerm(jsonTerm(term))).toBe(termText(term));
      }),
    );
  });
});
