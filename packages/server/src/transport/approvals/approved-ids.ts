import type { ResolvedParameters } from "@steward/operations";
import type { ResolvedName } from "../../approvals/index.js";

/**
 * The parameters of an operation with the ids that persons have approved in the place of names. An id that the caller
 * has given stays, because the effect then compares that one.
 * @param resolved absent: the operation runs without an approval, and the parameters stay as they are.
 */
export function withApprovedIds<Input extends object>(
  input: Input,
  resolves: ResolvedParameters = {},
  resolved: readonly ResolvedName[] = [],
): Input {
  const ids = resolved.flatMap(({ parameter, id }) => {
    const idIn = resolves[parameter]?.idIn;
    const isGiven = idIn === undefined || (idIn !== parameter && idIn in input);
    return isGiven ? [] : [[idIn, id] as const];
  });
  return ids.length === 0 ? input : { ...input, ...Object.fromEntries(ids) };
}
