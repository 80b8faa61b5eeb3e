import type { PlanStatus, StepStatus } from "@steward/client";
import type { Colors } from "./terminal.js";

/** All plan statuses; the compiler checks that the list is complete. */
export const PLAN_STATUSES: readonly string[] = Object.keys({
  pending: true,
  running: true,
  completed: true,
  failed: true,
  cancelled: true,
} satisfies Record<PlanStatus, true>);

/** The symbol of a status. */
export function statusSign(status: PlanStatus | StepStatus): string {
  return SIGNS[status];
}

/** Colours a text by status. */
export function paintStatus(text: string, status: string, colors: Colors): string {
  switch (status) {
    case "completed":
      return colors.green(text);
    case "running":
      return colors.cyan(text);
    case "failed":
      return colors.red(text);
    case "cancelled":
      return colors.yellow(text);
    default:
      return colors.dim(text);
  }
}

const SIGNS: Readonly<Record<StepStatus, string>> = {
  pending: "·",
  running: "▸",
  completed: "✔",
  failed: "✖",
  skipped: "↷",
  cancelled: "■",
};
