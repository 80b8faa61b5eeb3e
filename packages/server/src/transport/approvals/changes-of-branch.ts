import type { Caller } from "@steward/kernel/caller.js";
import type { JsonValue } from "@steward/kernel/canonical-json.js";
import { commitOfId, type MergeOutcome, type RevertOutcome } from "@steward/state";
import type { ResolvedOperation } from "../../approvals/index.js";
import type { Services } from "../services.js";

/** What a merge or a revert of the resolved commits would change, for approvers; `undefined` for other operations. */
export function changesOfBranch(
  { state }: Pick<Services, "state">,
  caller: Caller,
  { operation, request, resolved }: ResolvedOperation,
): ResolvedOperation["wouldChange"] {
  const [change, onto] = ["from", "commit", "branch"].flatMap((parameter) =>
    resolved.filter((each) => each.parameter === parameter),
  );
  const isMerge = operation === "mergeState";
  if (!isMerge && operation !== "revertState") return undefined;
  if (typeof change?.id !== "string" || typeof onto?.id !== "string") return undefined;
  const commit = change.id;
  // The wire has checked the request, whose single-valued properties are texts.
  const { single_valued = [] } = request as { readonly single_valued?: readonly string[] };
  const order = {
    ...{ branch: onto.name, expected: commitOfId(onto.id), singleValued: new Set(single_valued) },
    message: "a preview for approvers",
  };
  // A preview changes nothing, so the right to change the branch is not asked for again: it is what awaits approval.
  const { askAgain: _asked, ...requester } = caller;
  return async () =>
    counts(
      isMerge
        ? await state.merge(requester, { ...order, from: commit }, true)
        : await state.revert(requester, { ...order, commit }, true),
    );
}

function counts({ added, deleted, conflicts }: MergeOutcome | RevertOutcome): JsonValue {
  return {
    quads_added: added.length,
    quads_deleted: deleted.length,
    conflicts: conflicts.length,
  };
}
