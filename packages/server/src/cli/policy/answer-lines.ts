import type { PolicyAnswer } from "@steward/client";

/** What policies say of a question, in one word. */
function verdictOf({ permitted, code }: PolicyAnswer): "permit" | "deny" | "approval" {
  if (permitted) return "permit";
  return code === "APPROVAL_REQUIRED" ? "approval" : "deny";
}

/** An answer for people: the verdict, why, and the policies that decided. */
export function answerLines(answer: PolicyAnswer): readonly string[] {
  const { message, because, rows_changed_max: rows } = answer;
  return [
    message === undefined ? verdictOf(answer) : `${verdictOf(answer)}: ${message}`,
    ...because.map(({ name, reason }) => `  ${name}: ${reason}`),
    ...(rows === undefined ? [] : [`  at most ${String(rows)} rows may change`]),
  ];
}
