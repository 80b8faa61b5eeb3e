import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operationDigest } from "./digest.js";
import { approvalDigest, type ApprovedContent } from "./index.js";

const CONTENT: ApprovedContent = {
  statement: "DELETE FROM orders WHERE id = ?1",
  binds: [{ number: "42" }],
  dataSource: "shop",
  intent: "write_delete",
  planId: "p",
  stepId: "s",
  revision: 1,
  policyVersion: "v",
};

describe("the digest of what is approved", () => {
  it("is SHA-256 of the canonical JSON of its parts", () => {
    // printf '%s' '{"binds":[{"number":"42"}],"data_source":"shop","intent":"write_delete","plan":"p","policy_version":"v","revision":1,"statement":"DELETE FROM orders WHERE id = ?1","step":"s"}' | sha256sum
    expect(approvalDigest(CONTENT)).toBe(
      "aed2499453d1809167044b5aca99d211ffdd97c3cbcf5bc961886ee9907643b8",
    );
  });

  it("does not depend on the order of the touched data, nor on columns that are not used", () => {
    const orders = {
      name: "orders",
      accesses: { read: ["a", "b"], delete: [] },
      columns: ["a", "b"],
    };
    const items = { name: "items", accesses: { read: ["c"] }, columns: ["c"] };
    const one = approvalDigest({
      ...CONTENT,
      touched: { tables: [orders, items], functions: ["f", "g"] },
    });
    const turned = { ...orders, accesses: { delete: [], read: ["b", "a"] }, columns: ["b"] };
    const other = { tables: [items, turned], functions: ["g", "f"] };
    expect(approvalDigest({ ...CONTENT, touched: other })).toBe(one);
    expect(approvalDigest({ ...CONTENT, touched: { ...other, tables: [turned] } })).not.toBe(one);
    expect(approvalDigest(CONTENT)).not.toBe(one);
  });

  it("changes with every part", () => {
    const part = fc.constantFrom(
      ...(["statement", "dataSource", "intent", "planId", "stepId", "policyVersion"] as const),
    );
    fc.assert(
      fc.property(part, fc.string(), (name, text) => {
        fc.pre(text !== CONTENT[name]);
        expect(approvalDigest({ ...CONTENT, [name]: text })).not.toBe(approvalDigest(CONTENT));
      }),
    );
    const digests = [
      {},
      { revision: 2 },
      { binds: [] },
      { binds: [{ number: "-0" }] },
      { binds: ["42"] },
      { migration: { id: "m", digest: "d" } },
      { touched: { tables: [], functions: [] } },
    ].map((over) => approvalDigest({ ...CONTENT, ...over }));
    expect(new Set(digests).size).toBe(digests.length);
  });
});

it("the digest of an operation changes with what the names in its request stand for", () => {
  const asked = {
    ...{ operation: "mergeState", request: { from: "draft" }, user: "ada" },
    ...{ agentId: undefined, sessionId: "", policyVersion: "v" },
  };
  const digests = [undefined, { from: "a" }, { from: "b" }, { from: null }, { branch: "a" }].map(
    (resolved) => operationDigest({ ...asked, resolved }),
  );
  expect(new Set(digests).size).toBe(digests.length);
});
