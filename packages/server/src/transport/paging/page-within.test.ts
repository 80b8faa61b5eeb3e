import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pageWithin, type BoundedPage } from "./page-within.js";

describe("pageWithin", () => {
  it("leads through the whole list, whatever the bounds, each item once and in order", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 20 })),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 200, max: 300 }),
        (list, itemsMax, bytesMax) => {
          const seen: string[] = [];
          let offset: number | undefined = 0;
          while (offset !== undefined) {
            const page: BoundedPage<string> = pageWithin(list, { offset, itemsMax, bytesMax });
            expect(page.items.length).toBeLessThanOrEqual(itemsMax);
            seen.push(...page.items);
            offset = page.nextOffset;
          }
          expect(seen).toEqual(list);
        },
      ),
    );
  });

  it("cuts the long texts of an item that is too large alone, and keeps its short values", () => {
    const wide = { id: 7, text: "ä".repeat(5000), list: Array.from({ length: 2000 }, () => 1) };
    const page = pageWithin([wide, wide], { offset: 0, itemsMax: 10, bytesMax: 1000 });
    expect(page).toMatchObject({ cutItems: [0], nextOffset: 1 });
    expect(page.items).toMatchObject([{ id: 7, text: expect.stringContaining("5000 characters") }]);
    expect(Buffer.byteLength(JSON.stringify(page.items))).toBeLessThan(1200);
  });

  it("has nothing beyond the end", () => {
    expect(pageWithin(["a"], { offset: 5, itemsMax: 1, bytesMax: 10 })).toEqual({
      items: [],
      cutItems: [],
    });
  });
});
