/** What a step declares that it does to data (Contract §2.10, Decision §4), mildest first. */
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
 * What a parsed statement really does, whatever was declared: the intent that covers all of it.
 * `cross_system_transaction` is a statement that changes rows in several ways, each in a part of its own.
 */
export type StatementClass = Intent;

/** Which rule decided a step's intent (Decision §7), kept beside it for the audit. */
export type IntentSource = "explicit" | "statement" | "annotation" | "name" | "default";

/** Whether the text names an intent. */
export function isIntent(text: string): text is Intent {
  return (INTENTS as readonly string[]).includes(text);
}

/**
 * Whether a statement of this class may run under this intent. A declared intent is a promise kept
 * exactly: a read is not a write that happens to return rows. The governed intents carry the
 * highest weight and cover every class, `cross_system_transaction` all but changes of the schema.
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

/** Whether nothing can have changed, so that running it again is harmless. */
export function isReadIntent(intent: Intent): boolean {
  return intent === "read_select";
}
