import { describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { readCommit } from "../datasets/commit.js";
import type { Hash } from "../blocks/hash.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import { withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import { revertOnBranch, type RevertOutcome } from "./revert-commit.js";
import { type Quad, quad, text } from "../terms/term.js";
import { example, nameOf, namesOf } from "../testing/quads.js";
import { TripleStore } from "../datasets/triple-store.js";

const [tea, rum] = [example("tea"), example("rum")];
const said = (of: typeof tea, property: string, value: string): Quad =>
  quad(of, example(property), text(value));
const price = (value: string): Quad => said(tea, "price", value);

/** A branch, and commits on it that add and delete. */
class Shop {
  readonly blocks = new MemoryBlockStore(systemClock);
  readonly #triples = new TripleStore(this.blocks, systemClock, "main");

  commit(added: readonly Quad[], deleted: readonly Quad[] = [], message = "m"): Hash {
    for (const one of deleted) this.#triples.delete(one);
    for (const one of added) this.#triples.add(one);
    return this.#triples.commit({ author: "ada", message });
  }

  revert(undone: Hash, options: { message?: string; expected?: Hash } = {}): RevertOutcome {
    const order = { branch: "main", undone, author: "bob", singleValued: new Set<string>() };
    return withoutPauses(revertOnBranch(this.blocks, systemClock, { ...order, ...options }, false));
  }

  names(): string {
    return namesOf(new TripleStore(this.blocks, systemClock, "main").now.match());
  }
}

describe("a revert", () => {
  it("undoes one commit and keeps what came since, as a commit on top", () => {
    const shop = new Shop();
    shop.commit([price("1")]);
    const raised = shop.commit([price("2")], [price("1")], "Raise\nthe price");
    const head = shop.commit([said(rum, "name", "Rum")]);
    const { commit, kind, added, deleted } = shop.revert(raised);
    expect([kind, added.map(nameOf), deleted.map(nameOf)]).toEqual([
      "revert",
      [nameOf(price("1"))],
      [nameOf(price("2"))],
    ]);
    expect(shop.names()).toBe(namesOf([price("1"), said(rum, "name", "Rum")]));
    expect(readCommit(shop.blocks, commit)).toMatchObject({
      parents: [head],
      author: "bob",
      message: 'Revert "Raise"',
    });
    // And the way back again.
    shop.revert(commit, { message: "yet raise it" });
    expect(shop.names()).toBe(namesOf([price("2"), said(rum, "name", "Rum")]));
  });

  it("undoes the first commit of all, and does nothing where nothing is left of a commit", () => {
    const shop = new Shop();
    const first = shop.commit([price("1")]);
    const emptied = shop.revert(first);
    expect(shop.names()).toBe("");
    expect(shop.revert(first)).toMatchObject({ kind: "none", commit: emptied.commit });
  });

  it("changes nothing where the branch has changed the same since, and names it", () => {
    const shop = new Shop();
    shop.commit([price("1")]);
    const raised = shop.commit([price("2")], [price("1")]);
    const head = shop.commit([price("3")], [price("2")]);
    const { conflicts, commit } = shop.revert(raised);
    expect(conflicts).toMatchObject([
      { kind: "two-values", ours: [{ value: "3" }], theirs: [{ value: "1" }] },
    ]);
    expect([commit, shop.names()]).toEqual([head, namesOf([price("3")])]);
    const made = shop.commit([said(rum, "name", "Rum")]);
    shop.commit([said(rum, "maker", "A")]);
    expect(shop.revert(made).conflicts).toMatchObject([
      { kind: "deleted-and-changed", deletedBy: "theirs" },
    ]);
  });

  it("lets others have their turn while it undoes much", () => {
    const shop = new Shop();
    const many = Array.from({ length: 10_000 }, (_, index) => said(tea, `p${index}`, "x"));
    const undone = shop.commit(many);
    const order = { branch: "main", undone, author: "bob", singleValued: new Set<string>() };
    const work = revertOnBranch(shop.blocks, systemClock, order, false);
    let pauses = 0;
    while (work.next().done !== true) pauses += 1;
    // Each of its passes over the changes pauses after 500, and the trees after 2000.
    expect(pauses).toBeGreaterThan(60);
    expect(shop.names()).toBe("");
  });

  it("is refused where the branch is elsewhere than was expected", () => {
    const shop = new Shop();
    const expected = shop.commit([price("1")]);
    shop.commit([price("2")]);
    expect(() => shop.revert(expected, { expected })).toThrow(/heads\/main is at bagu/);
  });
});
