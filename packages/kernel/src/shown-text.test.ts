import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shownJson, shownLine, shownText } from "./shown-text.js";
import { DECEPTIVE_CHARACTERS } from "./testing/deceptive-text.js";

describe("a text of others", () => {
  it.each(DECEPTIVE_CHARACTERS)("is shown with the code of %s", (_name, character) => {
    const shown = shownText(`a${character}b`);
    expect(shown).toMatch(/^a(?:\\u\{[0-9a-f]+\})+b$/);
    const json = shownJson(JSON.stringify(`a${character}b`));
    expect(json).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(json)).toBe(`a${character}b`);
  });

  it("stays as it is where it deceives nobody", () => {
    const plain = "Zoë 東京タワー 👩‍👩‍👧 ❤️ 👍🏽 שלום\n\tSELECT 'x' -- \\u{202e}";
    expect(shownText(plain)).toBe(plain);
    expect(shownLine("a\n\tb")).toBe("a\\u{a}\\u{9}b");
  });

  it("keeps its value as JSON, whatever it holds", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), (json) => {
        expect(JSON.parse(shownJson(json))).toEqual(JSON.parse(json));
      }),
    );
  });
});
