import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearMiss } from "./near-miss.js";

it("prefers the name that differs in case and separators only to one that is a part", () => {
  expect(nearMiss("InvoiceLine", ["invoice", "invoice_line"])).toBe("invoice_line");
});

describe("nearMiss", () => {
  it.each([
    ["PROT", "PORT"],
    ["hsot", "HOST"],
    ["GRPC_PROT", "GRPC_PORT"],
    ["DATA_SORCES", "DATA_SOURCES"],
    ["nme", "name"],
  ])("finds what %s meant: %s", (word, meant) => {
    expect(nearMiss(word, ["DATA_SOURCES", "GRPC_PORT", "HOST", "PORT", "name"])).toBe(meant);
  });

  it("takes a part for the whole, and the whole for a part", () => {
    const columns = ["id", "email_address", "name"];
    expect(nearMiss("email", columns)).toBe("email_address");
    expect(nearMiss("customer_name", columns)).toBe("name");
    expect(nearMiss("paid", columns)).toBeUndefined();
  });

  it("says nothing when no candidate is near", () => {
    expect(nearMiss("banana", ["HOST", "PORT"])).toBeUndefined();
    expect(nearMiss("x", [])).toBeUndefined();
  });

  it("prefers the nearest, then the first", () => {
    expect(nearMiss("orders", ["order", "borders", "orders"])).toBe("orders");
    expect(nearMiss("cat", ["bat", "rat"])).toBe("bat");
  });
});

describe("the cost of nearMiss", () => {
  // To compare all letters with all others takes longer than the time limit of the test.
  it("does not grow with the length of words that no name has", () => {
    const letters = 300_000;
    expect(nearMiss("a".repeat(letters), ["b".repeat(letters), "id"])).toBeUndefined();
  });

  it("is saved by stopping early, without another answer", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "_"), maxLength: 12 });
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 5 }), (written, candidates) => {
        expect(nearMiss(written, candidates)).toBe(nearestByFullTable(written, candidates));
      }),
    );
  });
});

/** The same choice by the whole table of distances. */
function nearestByFullTable(word: string, candidates: readonly string[]): string | undefined {
  const lettersOf = (text: string): string => text.replaceAll("_", "");
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const [short = "", long = ""] = [word, candidate].sort((a, b) => a.length - b.length);
    const isPart = short.length >= 3 && long.includes(short);
    const distance =
      lettersOf(word) === lettersOf(candidate)
        ? 0
        : Math.max(1, isPart ? 1 : distanceByFullTable(word, candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function distanceByFullTable(a: string, b: string): number {
  const of = (i: number, j: number): number => {
    if (i === 0 || j === 0) return Math.max(i, j);
    const steps = [
      of2(i - 1, j) + 1,
      of2(i, j - 1) + 1,
      of2(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
    ];
    if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
      steps.push(of2(i - 2, j - 2) + 1);
    return Math.min(...steps);
  };
  const known = new Map<number, number>();
  const of2 = (i: number, j: number): number => {
    const key = i * 100 + j;
    const found = known.get(key) ?? of(i, j);
    known.set(key, found);
    return found;
  };
  return of(a.length, b.length);
}
