import { iri, type MergeOutcome, quad, text } from "@steward/state";
import { STATE_ANSWER_BYTES_MAX } from "@steward/state/limits.js";
import { describe, expect, it } from "vitest";
import { mergedMessage } from "./state-messages.js";

const [subject, predicate] = [iri("a:s"), iri("a:p")];
/** More than an eighth of an answer, because JSON escapes each character as six bytes. */
const LONG = text("\u0001".repeat(STATE_ANSWER_BYTES_MAX / 48));
const QUADS = Array.from({ length: 10 }, (_, n) => quad(iri(`a:s${String(n)}`), predicate, LONG));

function outcome(parts: Partial<MergeOutcome>): MergeOutcome {
  const roots = {} as MergeOutcome["roots"];
  const commit = "ab".repeat(32) as MergeOutcome["commit"];
  return { kind: "merge", commit, roots, added: [], deleted: [], conflicts: [], ...parts };
}

describe("what a merge reports", () => {
  it("counts all quads, and shows those that fit into an answer", () => {
    const message = mergedMessage(outcome({ added: QUADS, deleted: QUADS }));
    expect(message).toMatchObject({ added: 10, deleted: 10, deleted_quads: [] });
    expect(message.added_quads).toHaveLength(7);
    expect(JSON.stringify(message).length).toBeLessThan(STATE_ANSWER_BYTES_MAX);
  });

  it("shows conflicts before quads", () => {
    const conflict = {
      kind: "two-values",
      subject,
      predicate,
      ours: [LONG],
      theirs: [LONG],
    } as const;
    const conflicts = Array.from({ length: 9 }, () => conflict);
    const message = mergedMessage(outcome({ added: QUADS, conflicts }));
    expect(message.outcome).toBe("conflicts");
    expect([message.conflicts.length, message.added_quads.length]).toEqual([3, 0]);
  });

  it("is refused when the first conflict does not fit, because no conflict would look like none", () => {
    const ours = Array.from({ length: 8 }, () => LONG);
    const conflicts = [{ kind: "two-values", subject, predicate, ours, theirs: [] }] as const;
    expect(() => mergedMessage(outcome({ conflicts }))).toThrow(
      expect.objectContaining({
        code: "LIMIT_EXCEEDED",
        message: expect.stringContaining("read what both commits say of its subject") as string,
      }),
    );
  });
});
