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

/**
 * The kinds of change that a statement of a class makes, as far as the class alone tells. A class
 * for several kinds tells only that each is possible.
 */
export function kindsOfClass(statementClass: StatementClass): readonly Intent[] {
  return KINDS_OF_CLASSES[statementClass];
}

/** What policies are asked about a statement as a whole. */
interface AskedWhole {
  readonly dataSource: string;
  readonly intent: Intent;
  readonly kinds?: readonly Intent[];
}

/** Whether two statements are the same to policies, as far as they do not look at the touched data. */
export function isSameAsked(one: AskedWhole, other: AskedWhole): boolean {
  if (one.dataSource !== other.dataSource || one.intent !== other.intent) return false;
  // Statements of one class share their list.
  if (one.kinds === other.kinds) return true;
  const { kinds = [] } = one;
  const { kinds: others = [] } = other;
  return kinds.length === others.length && kinds.every((kind, index) => kind === others[index]);
}

/** The kinds of statements that change rows in one way. */
export const ROW_CHANGES = ["write_insert", "write_update", "write_delete"] as const;

/** Made once: two statements of one class are then found to be alike at once. */
const KINDS_OF_CLASSES: Readonly<Record<StatementClass, readonly Intent[]>> = {
  read_select: ["read_select"],
  write_insert: ["write_insert"],
  write_update: ["write_update"],
  write_delete: ["write_delete"],
  admin: ["admin"],
  cross_system_transaction: ["cross_system_transaction", ...ROW_CHANGES],
};

/** The rule that determined a step's intent (Decision §7), recorded for the audit. */
export type IntentSource = "explicit" | "statement" | "annotation" | "name" | "default";

/** Whether the text names an intent. */
export function isIntent(text: string): text is Intent {
  return (INTENTS as readonly string[]).includes(text);
}

/**
 * Whether a step may declare this intent for a statement of this class. A declared intent is taken
 * exactly: a write that returns rows is not a read. The governed intents carry the highest weight
 * and can be declared for every class, except that `cross_system_transaction` cannot be declared for
 * a change of the schema. A declared intent permits nothing: the statement runs as its class, and
 * policies are asked about everything that it does.
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
