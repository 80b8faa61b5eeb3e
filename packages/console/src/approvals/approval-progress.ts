import type { Approval } from "@steward/client";

/** How many of the needed approvals there are. */
export function approvalProgress({ rules }: Approval): {
  readonly given: number;
  readonly needed: number;
} {
  const needed = rules.reduce((sum, rule) => sum + rule.approvers_min, 0);
  return { needed, given: rules.reduce((rest, rule) => rest - rule.missing, needed) };
}
