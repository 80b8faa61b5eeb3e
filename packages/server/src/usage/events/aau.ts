/**
 * The weight of a tool call in Agentic Activity Units, the measure of its governance cost (Contract
 * §2.10). Weights are integers, so that sums are exact.
 */
export type AauWeight = 1 | 3 | 5;

/**
 * The weight of an intent (Contract §2.10). An unknown intent weighs as much as a write (Decision
 * §7).
 */
export function aauWeight(intent: string): AauWeight {
  switch (intent) {
    case "read_select":
      return 1;
    case "admin":
    case "cross_system_transaction":
      return 5;
    default:
      return 3;
  }
}
