import { createHash, randomUUID } from "node:crypto";
import { createClient, type StewardClient } from "@steward/client";
import { expect } from "vitest";
import { scenarioOver, type Scenario, type World } from "../scenario.js";

const over = (cites: Scenario["cites"], title: string, run: Scenario["run"]): Scenario =>
  scenarioOver("rest", cites, title, run);

/** A scenario that takes seconds of computation before the store is asked. */
const onOneStore = (...[cites, title, run]: Parameters<typeof over>): Scenario => ({
  ...over(cites, title, run),
  isIndependentOfStore: true,
});

/** The state of a new organization. */
function freshState({ steward }: World): StewardClient["state"] {
  return createClient({ baseUrl: steward.url, orgId: randomUUID(), userId: "ada" }).state;
}

const turtle = (content: string, branch = "main") =>
  ({ format: "turtle", content, branch, message: "a change" }) as const;

async function rootOf(state: StewardClient["state"], from: string): Promise<string | undefined> {
  const [commit] = await state.getStateLog({ from, limit: 1 });
  return commit?.root;
}

function numbersTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => n);
}

/**
 * The graph that Cai, Fürer and Immerman constructed from a ladder (1992): distinguishing its blank
 * nodes takes exponential time.
 */
function indistinguishable(size: number): string {
  const rungs = numbersTo(size).flatMap((n) => [
    [n, (n + 1) % size] as const,
    ...(2 * n < size ? [[n, n + size / 2] as const] : []),
  ]);
  const ends = rungs.flatMap(([a, b], rung) => [
    ...["0", "1"].map((bit) => [`e${a}.${rung}.${bit}`, `e${b}.${rung}.${bit}`] as const),
    ...[a, b].map((at) => [`e${at}.${rung}.0`, `e${at}.${rung}.1`] as const),
  ]);
  const gadgets = numbersTo(size).flatMap((at) => {
    const own = [...rungs.keys()].filter((rung) => rungs[rung]?.includes(at));
    return ["000", "011", "101", "110"].flatMap((bits) =>
      own.map((rung, index) => [`g${at}.${bits}`, `e${at}.${rung}.${bits.charAt(index)}`] as const),
    );
  });
  return [...ends, ...gadgets]
    .map(([a, b]) => `_:${a} <p:b> _:${b} . _:${b} <p:b> _:${a} .`)
    .join("\n");
}

/** The state (Decision §13), which only REST offers. */
export const state: readonly Scenario[] = [
  over(
    ["D13-same-root", "D13-blank"],
    "a dataset has the same root whichever way it came to be",
    async (world) => {
      const store = freshState(world);
      const [one, two] = ["<a:a> <p:b> 1, 2 .", "[] <p:c> [ <p:d> 'x'@en ] ."];
      for (const part of [one, two]) await store.importState(turtle(part, "slow"));
      await store.importState(turtle("<a:detour> <p:b> 1 .", "slow"));
      await store.importState({ ...turtle("<a:detour> <p:b> 1 .", "slow"), mode: "remove" });
      await store.importState(turtle(`${two} ${one}`, "fast"));
      expect(await rootOf(store, "slow")).toBe(await rootOf(store, "fast"));
    },
  ),
  over(["D13-alike"], "lists, chains and rings of blank nodes are taken in", async (world) => {
    const store = freshState(world);
    const zeros = JSON.stringify({
      "http://e/p": { "@list": Array.from({ length: 300 }, () => 0) },
    });
    const list = await store.importState({
      format: "json-ld",
      content: zeros,
      message: "a list",
    });
    expect(list.size).toBe(601);
    const chain = numbersTo(1000).map((n) => `_:c${n} <p:b> _:c${n + 1} .`);
    const ring = numbersTo(600).map((n) => `_:r${n} <p:b> _:r${(n + 1) % 600} .`);
    const both = await store.importState(turtle([...chain, ...ring].join("\n")));
    expect(both.size).toBe(2201);
  }),
  onOneStore(
    ["D13-alike"],
    "blank nodes that cannot be told apart are refused, and hold nobody up",
    async (world) => {
      const store = freshState(world);
      await store.importState(turtle("<a:a> <p:b> 1 ."));
      const poison = store.importState(turtle(indistinguishable(200)));
      const refused = expect(poison).rejects.toMatchObject({
        status: 400,
        code: "LIMIT_EXCEEDED",
        message: expect.stringContaining("STATE_LABEL_STEPS_MAX") as unknown,
      });
      const first = await Promise.race([poison.catch(() => "refused"), store.listStateRefs()]);
      expect(first).toMatchObject([{ name: "heads/main" }]);
      await refused;
    },
  ),
  over(
    ["D13-target"],
    "an import whose branch is elsewhere is refused, whatever its document says",
    async (world) => {
      const store = freshState(world);
      const { commit } = await store.importState(turtle("<a:a> <p:b> 1 ."));
      for (const target of [{ expected: null }, { branch: "none", expected: commit }]) {
        await expect(
          store.importState({ ...turtle("malformed"), ...target }),
        ).rejects.toMatchObject({
          code: "STATE_CONFLICT",
        });
      }
    },
  ),
  over(["D13-formats"], "every format comes back with the root it went out with", async (world) => {
    const store = freshState(world);
    await store.importState(turtle(`<a:a> <p:b> 1.50, "x"@en, [ <p:c> "a\\nb" ], <a:c> .`));
    for (const format of ["n-triples", "n-quads", "turtle", "trig", "json-ld"] as const) {
      const content = await new Response(await store.exportState({ format })).text();
      await store.importState({
        format,
        content,
        branch: format,
        message: "back",
        mode: "replace",
      });
      expect(await rootOf(store, format)).toBe(await rootOf(store, "main"));
    }
  }),
  over(
    ["D13-rdf12", "D13-json-ld"],
    "triple terms and base directions go in, are found and proven, and go out where the format has them",
    async (world) => {
      const store = freshState(world);
      const annotated =
        '<a:tea> <p:price> 3 ~ <a:claim> {| <p:by> "\u0622\u062f\u0627"@ar--rtl, [ <p:of> <a:x> ] |} . ' +
        "<a:doubt> <p:about> <<( [] <p:doubts> <<( <a:tea> <p:price> 3 )>> )>> .";
      await store.importState(turtle(`VERSION "1.2" ${annotated}`));
      for (const format of ["n-triples", "n-quads", "turtle", "trig"] as const) {
        const content = await new Response(await store.exportState({ format })).text();
        await store.importState({
          format,
          content,
          branch: format,
          message: "back",
          mode: "replace",
        });
        expect(await rootOf(store, format)).toBe(await rootOf(store, "main"));
      }
      await expect(store.exportState({ format: "json-ld" })).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        details: [{ field: "format", reason: expect.stringContaining("triple terms") as unknown }],
      });
      const integer = "http://www.w3.org/2001/XMLSchema#integer";
      const claim = {
        subject: "<a:claim>",
        predicate: "<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>",
        object: `<<( <a:tea> <p:price> "3"^^<${integer}> )>>`,
      };
      const { quads } = await store.getStateAt(claim);
      expect(quads.map(({ object }) => object)).toEqual([
        {
          type: "triple",
          value: {
            subject: { type: "uri", value: "a:tea" },
            predicate: { type: "uri", value: "p:price" },
            object: { type: "literal", value: "3", datatype: integer },
          },
        },
      ]);
      expect((await store.proveState(claim)).present).toBe(true);
      const sparql = "SELECT ?by { << <a:tea> <p:price> 3 >> <p:by> ?by FILTER(hasLANGDIR(?by)) }";
      const { results } = await store.queryState({ sparql });
      expect(results?.bindings).toEqual([
        { by: { type: "literal", value: "آدا", "xml:lang": "ar", "its:dir": "rtl" } },
      ]);
    },
  ),
  over(
    ["D13-malformed"],
    "a document with a mistake is refused whole, with its place",
    async (world) => {
      const store = freshState(world);
      await expect(
        store.importState(turtle("<a:a> <p:b> 1 .\n<a:a> <p:b> <c> .")),
      ).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        status: 400,
        message: expect.stringContaining("line 2, column 13") as unknown,
      });
      expect(await store.listStateRefs()).toEqual([]);
    },
  ),
  over(
    ["D13-history", "D13-refs", "D13-unknown", "D13-own-branches"],
    "history is told by branch, tag and id, and refs move only from where they were expected",
    async (world) => {
      const store = freshState(world);
      const first = await store.importState(turtle("<a:a> <p:b> 1 ."));
      const tag = { name: "tags/v1", commit: "main", expected: null };
      await store.moveStateRef(tag);
      const second = await store.importState(turtle("<a:a> <p:b> 2 ."));
      expect((await store.getStateLog()).map(({ commit }) => commit)).toEqual([
        second.commit,
        first.commit,
      ]);
      const diff = await store.getStateDiff({ from: "v1" });
      expect([diff.added.map(({ object }) => object.value), diff.deleted]).toEqual([["2"], []]);
      expect((await store.getStateAt({ at: "v1" })).count).toBe(1);
      expect((await store.getStateAt({ at: first.commit })).count).toBe(1);
      await expect(store.moveStateRef(tag)).rejects.toMatchObject({
        code: "STATE_CONFLICT",
        status: 409,
      });
      await expect(store.getStateLog({ from: "nowhere" })).rejects.toMatchObject({ status: 404 });
      const [taken, denied] = [{ branch: "migrations" }, { status: 403, code: "POLICY_DENIED" }];
      await expect(
        store.importState({ ...turtle("<a:a> <p:b> 1 ."), ...taken }),
      ).rejects.toMatchObject(denied);
      const made = { name: "heads/schemas/default", commit: "main", expected: null };
      await expect(store.moveStateRef(made)).rejects.toMatchObject(denied);
      const stranger = freshState(world);
      await stranger.importState(turtle("<a:own> <p:b> 1 ."));
      await expect(stranger.getStateAt({ at: first.commit })).rejects.toMatchObject({
        status: 404,
      });
    },
  ),
  over(["D13-query"], "patterns and SPARQL have the same solutions", async (world) => {
    const store = freshState(world);
    await store.importState(turtle("<a:ada> <p:knows> <a:bob> . <a:bob> <p:name> 'Bob' ."));
    const patterns = [
      { subject: "?a", predicate: "<p:knows>", object: "?b" },
      { subject: "?b", predicate: "<p:name>", object: "?name" },
    ];
    const sparql = "SELECT ?a ?b ?name { ?a <p:knows> ?b . ?b <p:name> ?name }";
    const { results } = await store.queryState({ patterns });
    expect(results?.bindings).toEqual([
      {
        a: { type: "uri", value: "a:ada" },
        b: { type: "uri", value: "a:bob" },
        name: { type: "literal", value: "Bob" },
      },
    ]);
    expect((await store.queryState({ sparql })).results).toEqual(results);
  }),
  over(
    ["D13-query-terms"],
    "seven forms of the number one are seven terms, and each of them equals one",
    async (world) => {
      const store = freshState(world);
      const xsd = "http://www.w3.org/2001/XMLSchema#";
      const forms = ["1", "01", "+1", "1.0|decimal", "1.00|decimal", "1e0|double", "1|byte"].map(
        (form) => form.split("|") as [string, string?],
      );
      const lines = forms.map(
        ([form, name = "integer"]) => `<a:a> <p:b> "${form}"^^<${xsd}${name}> .\n`,
      );
      const content = lines.join("");
      await store.importState({ format: "n-triples", content, message: "odd forms" });
      const count = "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?s ?p ?x }";
      expect((await store.queryState({ sparql: count })).results?.bindings).toMatchObject([
        { n: { value: "7" } },
      ]);
      const equal = await store.queryState({ sparql: "SELECT ?x { ?s ?p ?x FILTER(?x = 1) }" });
      expect(equal.results?.bindings).toHaveLength(7);
      expect(equal.results?.bindings).toEqual(
        expect.arrayContaining(
          forms.map(([value, name = "integer"]) => ({
            x: { type: "literal", value, datatype: xsd + name },
          })),
        ),
      );
    },
  ),
  over(
    ["D13-documents"],
    "a document larger than a request may be goes in and out as it comes, whole or not at all",
    async (world) => {
      const store = freshState(world);
      const count = 60_000;
      const line = (index: number): string =>
        `<urn:order:${index}> <urn:p:note> "a note about the order ${index}, in words"@en .\n`;
      const lines = Array.from({ length: count }, (_, index) => line(index));
      const streamed = (last: string): ReadableStream<Uint8Array> => {
        const all = [...lines, last];
        return new ReadableStream({
          pull: (controller) => {
            controller.enqueue(Buffer.from(all.splice(0, 1000).join("")));
            if (all.length === 0) controller.close();
          },
        });
      };
      const order = { format: "n-triples", message: "all orders" } as const;
      await expect(
        store.importStateDocument({ ...order, content: streamed("<urn:order:1>") }),
      ).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining(`line ${count + 1}, column 14`) as unknown,
      });
      expect(await store.listStateRefs()).toEqual([]);
      const done = await store.importStateDocument({ ...order, content: streamed("") });
      expect(done).toMatchObject({ size: count, added: count, deleted: 0 });
      const text = await new Response(await store.exportState({ format: "n-triples" })).text();
      expect(text.split("\n").sort()).toEqual([...lines.map((one) => one.trimEnd()), ""].sort());
      const seen = { ...order, content: line(0), expected: done.commit };
      await store.importStateDocument({ ...seen, mode: "remove" });
      await expect(store.importStateDocument(seen)).rejects.toMatchObject({ status: 409 });
    },
  ),
  over(["D13-remove-and-add"], "one commit takes out and adds", async (world) => {
    const store = freshState(world);
    const before = await store.importState(turtle("<a:tea> <p:price> 1 ; <p:name> 'Tea' ."));
    const change = { ...turtle("<a:tea> <p:price> 2 ."), remove: "<a:tea> <p:price> 1 ." };
    expect(await store.importState(change)).toMatchObject({ size: 2, added: 1, deleted: 1 });
    const [head] = await store.getStateLog({ limit: 1 });
    expect(head?.parents).toEqual([before.commit]);
    await expect(store.importState({ ...change, mode: "replace" })).rejects.toMatchObject({
      status: 400,
      details: [{ field: "remove" }],
    });
  }),
  over(
    ["D13-revert", "D13-revert-conflict"],
    "a commit is undone by a new one, unless what it changed has changed since",
    async (world) => {
      const store = freshState(world);
      await store.importState(turtle("<a:tea> <p:price> 1 ."));
      const raised = await store.importState(turtle("<a:rum> <p:price> 2 ."));
      const last = await store.importState(turtle("<a:milk> <p:price> 3 ."));
      const preview = await store.revertState({ commit: raised.commit, preview: true });
      expect(preview).toMatchObject({ outcome: "reverted", commit: last.commit, deleted: 1 });
      const reverted = await store.revertState({ commit: raised.commit });
      expect(reverted).toMatchObject({ outcome: "reverted", added: 0, deleted: 1 });
      const [head] = await store.getStateLog({ limit: 1 });
      expect(head).toMatchObject({
        commit: reverted.commit,
        parents: [last.commit],
        message: 'Revert "a change"',
        size: 2,
      });
      expect(await store.revertState({ commit: raised.commit })).toMatchObject({
        outcome: "nothing to revert",
      });
      await store.importState(turtle("<a:milk> <p:name> 'Milk' ."));
      await expect(store.revertState({ commit: last.commit })).rejects.toMatchObject({
        code: "STATE_CONFLICT",
        status: 409,
        details: [
          {
            field: "deleted-and-changed",
            reason: expect.stringContaining("<a:milk>: the revert deleted it") as unknown,
          },
        ],
      });
    },
  ),
  over(["D13-base"], "whoever says which commit was seen changes no other one", async (world) => {
    const store = freshState(world);
    const seen = await store.importState(turtle("<a:a> <p:b> 1 ."));
    const head = await store.importState(turtle("<a:a> <p:b> 2 ."));
    await store.moveStateRef({ name: "heads/side", commit: seen.commit, expected: null });
    await store.importState(turtle("<a:side> <p:b> 1 .", "side"));
    const expected = seen.commit;
    for (const change of [
      () => store.importState({ ...turtle("<a:a> <p:b> 3 ."), expected }),
      () => store.mergeState({ from: "side", message: "m", expected }),
      () => store.revertState({ commit: seen.commit, expected }),
    ]) {
      await expect(change()).rejects.toMatchObject({
        code: "STATE_CONFLICT",
        status: 409,
        message: expect.stringContaining(head.commit) as unknown,
      });
    }
    const merged = await store.mergeState({ from: "side", message: "m", expected: head.commit });
    expect(merged.outcome).toBe("merged");
  }),
  over(
    ["D13-proof"],
    "a proof's blocks lead by their hashes from the commit's id to the quad",
    async (world) => {
      const store = freshState(world);
      const { commit } = await store.importState(turtle("<a:a> <p:b> 'proven' ."));
      const asked = { subject: "<a:a>", predicate: "<p:b>" };
      const proof = await store.proveState({ ...asked, object: '"proven"' });
      expect(proof).toMatchObject({ commit, present: true });
      const block = Buffer.from(proof.commit_block, "base64");
      const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
      // The last 32 bytes of the id are the hash of the commit's block.
      expect(unbase32(commit).subarray(-32)).toEqual(sha256(block));
      const { roots } = JSON.parse(block.toString()) as { roots: { spog: { "/": string } } };
      const [root = ""] = proof.nodes;
      const node = Buffer.from(root, "base64");
      expect(unbase32(roots.spog["/"]).subarray(-32)).toEqual(sha256(node));
      expect(node.includes("proven")).toBe(true);
      expect(await store.proveState({ ...asked, object: '"other"' })).toMatchObject({
        present: false,
      });
    },
  ),
  over(
    ["D13-merge", "D13-conflict", "D13-upkeep"],
    "a merge takes both sides in, or changes nothing and tells every conflict",
    async (world) => {
      const store = freshState(world);
      await store.importState(turtle("<a:a> <p:b> 1 ."));
      await store.moveStateRef({ name: "heads/side", commit: "main", expected: null });
      await store.importState(turtle("<a:ours> <p:b> 1 ."));
      await store.importState(turtle("<a:theirs> <p:b> 1 .", "side"));
      const merged = await store.mergeState({ from: "side", message: "together" });
      expect(merged).toMatchObject({ outcome: "merged", added: 1, conflicts: [] });
      expect((await store.getStateAt()).count).toBe(3);
      await store.importState(turtle("<a:a> <p:name> 'A' ."));
      await store.importState(turtle("<a:a> <p:name> 'B' .", "side"));
      const before = await store.listStateRefs();
      const strict = { from: "side", message: "no", single_valued: ["p:name"] };
      await expect(store.mergeState(strict)).rejects.toMatchObject({
        code: "STATE_CONFLICT",
        status: 409,
        details: [{ field: "two-values" }],
      });
      expect(await store.listStateRefs()).toEqual(before);
      expect(await store.checkState()).toEqual([]);
      await store.collectState();
      expect(await store.checkState()).toEqual([]);
      expect((await store.getStateAt({ at: merged.commit })).count).toBe(3);
    },
  ),
];

/** The bytes of a content id: RFC 4648 base32 behind multibase's "b". */
function unbase32(id: string): Buffer {
  const bits = [...id.slice(1)]
    .map((char) => "abcdefghijklmnopqrstuvwxyz234567".indexOf(char).toString(2).padStart(5, "0"))
    .join("");
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
