import { beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import { commitId } from "../datasets/commit.js";
import type { Hash } from "../blocks/hash.js";
import { TripleStore } from "../datasets/triple-store.js";
import { example } from "../testing/quads.js";
import { quad, text } from "../terms/term.js";
import { resolve } from "./history.js";
import { commitNamed } from "./named-commit.js";

let store: MemoryBlockStore;

beforeEach(() => {
  store = new MemoryBlockStore(systemClock);
});

/** Makes a branch with one commit, as whoever may write a branch can. */
function commitOn(branch: string): Hash {
  const dataset = new TripleStore(store, systemClock, branch);
  dataset.add(quad(example("a"), example("on"), text(branch)));
  return dataset.commit({ author: "a", message: "m" });
}

describe("a name of a commit", () => {
  it("that is an id means its commit, also when a branch has that name", () => {
    const reviewed = commitOn("draft");
    for (const id of [commitId(reviewed), reviewed]) {
      const other = commitOn(id);
      expect(resolve(store, id)).toBe(reviewed);
      expect(resolve(store, `heads/${id}`)).toBe(other);
    }
  });

  it("that is an id of no commit here is not found, also when a branch has that name", () => {
    const elsewhere = new TripleStore(new MemoryBlockStore(systemClock), systemClock, "main");
    elsewhere.add(quad(example("a"), example("is"), text("elsewhere")));
    const id = commitId(elsewhere.commit({ author: "a", message: "m" }));
    commitOn(id);
    expect(() => resolve(store, id)).toThrow("There is no branch, tag or commit");
  });

  it("that looks like an id and is none means a branch, or tells what an id is", () => {
    expect(() => resolve(store, "baguette")).toThrow("must be the id of a commit");
    const made = commitOn("baguette");
    expect(resolve(store, "baguette")).toBe(made);
  });

  it("that is a full ref name means that ref, and no branch of a longer name", () => {
    const main = commitOn("main");
    commitOn("heads/main");
    commitOn("tags/v1");
    expect(resolve(store, "heads/main")).toBe(main);
    expect(() => resolve(store, "tags/v1")).toThrow("There is no branch, tag or commit");
  });

  it("that a branch and a tag have is refused, with their full names", () => {
    const tagged = commitOn("main");
    store.move({ name: "tags/v1", expected: undefined, next: tagged }, new Map());
    expect(resolve(store, "v1")).toBe(tagged);
    commitOn("v1");
    expect(() => resolve(store, "v1")).toThrow('write "heads/v1" or "tags/v1"');
    expect(resolve(store, "tags/v1")).toBe(tagged);
  });

  it("that is a ref's is found also when its commit is damaged, so that the damage is told and not a wrong name", () => {
    const lost = commitOn("elsewhere").replace(/^./, (first) =>
      first === "0" ? "1" : "0",
    ) as Hash;
    store.move({ name: "heads/damaged", expected: undefined, next: lost }, new Map());
    expect(commitNamed(store, "damaged")).toBe(lost);
    expect(() => commitNamed(store, lost)).toThrow("There is no branch, tag or commit");
  });
});
