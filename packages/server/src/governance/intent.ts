/** The declared purpose of a step (Contract §2.10, Decision §4), least severe first. */
export const INTENTS = [
  "read_select",
  "write_insert",
  "write_update",
  "write_delete",
  "admin",
  "cross_system_transaction",
] as const;

/** One of {@link INTENTS}. */
export type Intent = (typeof INTENTS)[number];

/**
 * The effect of a parsed statement, whatever its step declares: the intent that covers all of it.
 * `cross_system_transaction` is a statement whose parts change rows in several ways.
 */
export type StatementClass = Intent;

/** The rule that determined a step's intent (Decision §7), recorded for the audit. */
export type IntentSource = "explicit" | "statement" | "annotation" | "name" | "default";

/** Whether the text names an intent. */
export function isIntent(text: string): text is Intent {
  return (INTENTS as readonly string[]).includes(text);
}

/**
 * Whether a statement of this class may run under this intent. A declared intent is taken exactly:
 * a write that returns rows is not a read. The governed intents carry the highest weight and cover
 * every class, except that `cross_system_transaction` does not cover changes of the schema.
 */
export function intentCovers(intent: Intent, statementClass: StatementClass): boolean {
  switch (intent) {
    case "admin":
      return true;
    case "cross_system_transaction":
      return statementClass !== "admin";
    default:
      return intent === statementClass;
  }
}

/** Whether the intent excludes any change, so that running the statement again is harmless. */
export function isReadIntent(intent: Intent): boolean {
  return intent === "read_select";
}
