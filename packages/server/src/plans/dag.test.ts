import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphViolations, sortByDependency, type DependentStep } from "./dag.js";

/** Steps written as `id` or `id: dependency dependency`. */
function steps(...lines: readonly string[]): readonly DependentStep[] {
  return lines.map((line) => {
    const [id = "", dependencies = ""] = line.split(":");
    return { id, dependsOn: dependencies.split(" ").filter((name) => name !== "") };
  });
}

function violations(...lines: readonly string[]): readonly string[] {
  return [...graphViolations(steps(...lines))].map(
    ({ code, field, reason }) => `${code} ${field}: ${reason}`,
  );
}

function sorted(...lines: readonly string[]): readonly string[] {
  const order = sortByDependency(steps(...lines), ({ id }) => id);
  return order.kind === "sorted" ? order.nodes.map(({ id }) => id) : order.ids;
}

describe("the graph of a plan", () => {
  it("is in order when ids are well formed and dependencies lead to other steps", () => {
    expect(violations("a", "b: a", "c-1_X: a b", `${"x".repeat(64)}: c-1_X`)).toEqual([]);
  });

  it("names malformed and duplicate ids", () => {
    expect(violations("a", "", "a b", "a", "é", "x".repeat(65))).toEqual([
      'INVALID_PLAN steps[1].id: "" is not 1 to 64 letters, digits, "_" or "-"',
      'INVALID_PLAN steps[2].id: "a b" is not 1 to 64 letters, digits, "_" or "-"',
      'INVALID_PLAN steps[3].id: "a" is already the id of steps[0]',
      'INVALID_PLAN steps[4].id: "é" is not 1 to 64 letters, digits, "_" or "-"',
      `INVALID_PLAN steps[5].id: "${"x".repeat(64)}…" is not 1 to 64 letters, digits, "_" or "-"`,
    ]);
  });

  it("names unknown, own and repeated dependencies", () => {
    expect(violations("a: a", "b: nobody a a")).toEqual([
      "INVALID_PLAN steps[0].depends_on[0]: a step cannot depend on itself",
      'INVALID_PLAN steps[1].depends_on[0]: there is no step "nobody" in this plan',
      'INVALID_PLAN steps[1].depends_on[2]: step "a" is listed twice',
    ]);
  });

  it("names a cycle by its path", () => {
    expect(violations("z: c", "a: b", "b: c", "c: a")).toEqual([
      "PLAN_CYCLE steps[3].depends_on: steps depend on each other in a cycle: c → a → b → c",
    ]);
  });

  it("names some of a long cycle", () => {
    const ring = Array.from(
      { length: 1000 },
      (_, n) => `s${String(n)}: s${String((n + 1) % 1000)}`,
    );
    const [first = ""] = violations(...ring);
    expect(first).toContain("s8 → s9 → … 990 more … → s0");
  });
});

describe("sorting by dependency", () => {
  it("keeps the order given but for what must come first", () => {
    expect(sorted("a", "b", "c")).toEqual(["a", "b", "c"]);
    expect(sorted("d: c b", "a", "b", "c: a")).toEqual(["a", "c", "b", "d"]);
  });

  it("finds a step that depends on itself", () => {
    expect(sorted("a: a")).toEqual(["a", "a"]);
  });

  it("sorts a chain of a thousand steps, given backwards", () => {
    const chain = Array.from({ length: 1000 }, (_, n) => `s${String(n)}: s${String(n + 1)}`);
    expect(sorted(...chain, "s1000").slice(0, 2)).toEqual(["s1000", "s999"]);
  });

  it("agrees with a naive search: sorted exactly when no step reaches itself", () => {
    const graph = fc.integer({ min: 1, max: 8 }).chain((size) =>
      fc.array(fc.uniqueArray(fc.nat(size - 1), { maxLength: 3 }), {
        minLength: size,
        maxLength: size,
      }),
    );
    fc.assert(
      fc.property(graph, (edges) => {
        const nodes = edges.map((dependsOn, id) => ({
          id: String(id),
          dependsOn: dependsOn.map(String),
        }));
        const order = sortByDependency(nodes, ({ id }) => id);
        expect(order.kind).toBe(
          nodes.some((node) => reachesItself(node, nodes)) ? "cycle" : "sorted",
        );
        if (order.kind === "sorted") {
          expect(new Set(order.nodes)).toEqual(new Set(nodes));
          expect(order.nodes).toHaveLength(nodes.length);
          const place = new Map(order.nodes.map(({ id }, index) => [id, index]));
          for (const { id, dependsOn } of nodes) {
            for (const before of dependsOn) {
              expect(place.get(before)).toBeLessThan(place.get(id) ?? -1);
            }
          }
        } else {
          expect(order.ids.at(0)).toBe(order.ids.at(-1));
          for (const [index, id] of order.ids.slice(0, -1).entries()) {
            expect(nodes[Number(id)]?.dependsOn).toContain(order.ids[index + 1]);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});

function reachesItself(start: DependentStep, nodes: readonly DependentStep[]): boolean {
  const reached = new Set(start.dependsOn);
  for (const id of reached) {
    for (const next of nodes[Number(id)]?.dependsOn ?? []) reached.add(next);
  }
  return reached.has(start.id);
}
