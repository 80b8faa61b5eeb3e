import type { JsonValue } from "@steward/kernel/canonical-json.js";
import { AppError } from "@steward/kernel/errors.js";

/** What the name in a parameter of an operation stood for when the approval was requested or used. */
export interface ResolvedName {
  readonly parameter: string;
  /** As the parameter has it, or its default. */
  readonly name: string;
  /** What the name stands for, as the operation describes it: `commit`, `plan`. */
  readonly names: string;
  /** `null`: nothing has the name yet. */
  readonly id: string | null;
}

/** A resolved name with what an approver sees of it. */
export interface ShownName extends ResolvedName {
  readonly shown: JsonValue;
}

/**
 * Refuses to act on another revision of a plan or a step than persons have approved.
 * @param revision the present one.
 * @throws AppError `REVISION_CONFLICT`.
 */
export function requireApprovedRevision(
  { resolved = [] }: { readonly resolved?: readonly ResolvedName[] },
  names: "plan" | "step",
  revision = 1,
): void {
  const approved = resolved.find((each) => each.names === names);
  if (approved === undefined || approved.id === String(revision)) return;
  throw new AppError(
    "REVISION_CONFLICT",
    `The approval is for revision ${String(approved.id)} of the ${names}, which is at revision ${String(revision)} now: a new approval is needed, so repeat the call`,
  );
}

/** The ids by parameter, as the digest covers them; `undefined`: there are none. */
export function idsByParameter(
  resolved: readonly ResolvedName[],
): Readonly<Record<string, string | null>> | undefined {
  if (resolved.length === 0) return undefined;
  return Object.fromEntries(resolved.map(({ parameter, id }) => [parameter, id]));
}

/** Says what stands for another thing now, such as `from "draft" was bagu… and is bagu… now`. */
export function movedNames(
  before: readonly ResolvedName[],
  now: readonly ResolvedName[],
): string | undefined {
  const moved = now.flatMap(({ parameter, name, id }) => {
    const former = before.find((each) => each.parameter === parameter)?.id ?? null;
    if (former === id) return [];
    return [`${parameter} ${JSON.stringify(name)} was ${idText(former)} and is ${idText(id)} now`];
  });
  return moved.length === 0 ? undefined : moved.join("; ");
}

function idText(id: string | null): string {
  return id ?? "nothing";
}
