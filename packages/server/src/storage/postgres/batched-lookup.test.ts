import { describe, expect, it } from "vitest";
import { batchedLookup } from "./batched-lookup.js";

/** A lookup that returns every id in capitals, and records the ids of each call. */
function recordedLookup() {
  const asked: (readonly string[])[] = [];
  const lookup = batchedLookup((ids) => {
    asked.push(ids);
    return Promise.resolve(new Map(ids.map((id) => [id, id.toUpperCase()])));
  });
  return { asked, lookup };
}

describe("a batched lookup", () => {
  it("answers what is asked for in the same turn at once, each id looked up once", async () => {
    const { asked, lookup } = recordedLookup();
    const [first, second] = await Promise.all([lookup(["a", "b"]), lookup(["b", "c"])]);
    expect(asked).toEqual([["a", "b", "c"]]);
    expect([first.get("a"), second.get("b"), second.get("c")]).toEqual(["A", "B", "C"]);
  });

  it("asks again for what is asked for later", async () => {
    const { asked, lookup } = recordedLookup();
    await lookup(["a"]);
    await lookup(["a"]);
    expect(asked).toEqual([["a"], ["a"]]);
  });

  it("asks for at most a thousand at once", async () => {
    const { asked, lookup } = recordedLookup();
    const ids = Array.from({ length: 600 }, (_id, number) => String(number));
    const others = ids.map((id) => `other ${id}`);
    const answers = await Promise.all([lookup(ids), lookup(others)]);
    expect(asked.map(({ length }) => length)).toEqual([600, 600]);
    expect(answers[1].get("other 599")).toBe("OTHER 599");
  });

  it("tells everybody who asked of a failure, and none who asks later", async () => {
    let failures = 1;
    const lookup = batchedLookup((ids) =>
      failures-- > 0
        ? Promise.reject(new Error("the connection was lost"))
        : Promise.resolve(new Map(ids.map((id) => [id, id]))),
    );
    const first = lookup(["a"]);
    await expect(lookup(["b"])).rejects.toThrow("the connection was lost");
    await expect(first).rejects.toThrow("the connection was lost");
    expect((await lookup(["a"])).get("a")).toBe("a");
  });
});
