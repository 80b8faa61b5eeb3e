import type { PolicyAnswer } from "@steward/client";

/** The decision as one word. */
function verdictOf({ permitted, code }: PolicyAnswer): "permit" | "deny" | "approval" {
  if (permitted) return "permit";
  return code === "APPROVAL_REQUIRED" ? "approval" : "deny";
}

/** Formats an answer: the decision, its reason, and the deciding policies. */
export function answerLines(answer: PolicyAnswer): readonly string[] {
  const { message, because, rows_changed_max: rows } = answer;
  return [
    message === undefined ? verdictOf(answer) : `${verdictOf(answer)}: ${message}`,
    ...because.map(({ name, reason }) => `  ${name}: ${reason}`),
    ...(rows === undefined ? [] : [`  at most ${String(rows)} rows may change`]),
  ];
}
