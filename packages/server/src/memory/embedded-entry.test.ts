import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { embeddedEntries, embeddedEntry } from "./embedded-entry.js";
import type { MemoryEntry } from "./entry.js";

const ENTRY: MemoryEntry = {
  orgId: "11111111-1111-4111-8111-111111111111",
  entryId: "22222222-2222-4222-8222-222222222222",
  sessionId: "s",
  content: "{}",
  createdAtMs: 1,
};

/** Few values, so that vectors repeat; the two zeros have different bits. */
const vectors = fc.array(fc.array(fc.constantFrom(0, -0, 1, 0.1), { minLength: 2, maxLength: 2 }));

describe("the entries of a batch", () => {
  it("are what each would be alone, whatever vectors they share", () => {
    fc.assert(
      fc.property(vectors, (components) => {
        const batch = components.map((each) => Float32Array.from(each));
        const entries = batch.map((_, index) => ({ ...ENTRY, createdAtMs: index }));
        const alone = entries.map((entry, index) =>
          embeddedEntry(entry, batch[index] ?? new Float32Array()),
        );
        expect(embeddedEntries(entries, batch)).toStrictEqual(alone);
      }),
    );
  });

  it("share one code when their vectors are the same", () => {
    const zeros = [new Float32Array(8), new Float32Array(8)];
    const [first, second] = embeddedEntries([ENTRY, ENTRY], zeros);
    expect(second?.code).toBe(first?.code);
  });
});
