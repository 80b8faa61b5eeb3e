import type { StatementClass } from "./intent.js";
import * as vocabulary from "./tool-name-words.js";

/**
 * The intent a tool's name suggests (Decision §7, name heuristic), for calls that say nothing better
 * about themselves. `undefined` when the name has no known verb: it then counts as `write_update`.
 */
export function intentOfToolName(toolName: string): StatementClass | undefined {
  const tokens = tokensOf(toolName);
  const verbAt = verbIndex(tokens);
  const verb = tokens[verbAt];
  if (verb === undefined) return namesResult(tokens) ? "read_select" : undefined;
  // `confirm_delete_group`: what is confirmed is done.
  if (verb === "confirm" && isPlainWriteVerb(stemOf(tokens[verbAt + 1] ?? ""))) {
    return intentOfToolName(tokens.slice(verbAt + 1).join(" "));
  }
  if (isExecution(verb)) return isGovernedByName(tokens) ? "admin" : executeIntent(tokens);
  if (isRead(verb)) return joinedWrite(tokens, verbAt) ?? "read_select";
  const object = objectOf(tokens, verbAt);
  if (isSwitchOfObservation(verb, object)) return "read_select";
  return isGoverned(verb, object) || isGovernedByName(tokens) ? "admin" : writeIntent(verb);
}

/**
 * `mcp__server__createTable_v2` → `create`, `table`: the server's name and words that say nothing
 * are dropped, what remains is split at separators and changes of case. Accents are dropped too:
 * they are as often left out.
 */
function tokensOf(toolName: string): readonly string[] {
  const tokens = toolName
    .replace(/^mcp__.+?__/, "")
    .normalize("NFD")
    .replace(/\p{Mark}/gu, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((token) => token !== "");
  while (tokens.length > 1 && isNoise(tokens.at(-1) ?? "")) tokens.pop();
  return tokens;
}

function isNoise(token: string): boolean {
  return vocabulary.NOISE.has(token) || /^v?\d+$/.test(token);
}

/** The verb before the place or the means, as in `shutdown_by_tag`, if there is one. -1: no verb at all. */
function verbIndex(tokens: readonly string[]): number {
  const end = tokens.findIndex((token, at) => at > 0 && vocabulary.PREPOSITIONS.has(token));
  const before = end === -1 ? -1 : verbIndexOf(tokens.slice(0, end));
  return before === -1 ? verbIndexOf(tokens) : before;
}

/** Plain verbs first; words that may be nouns only where there is none. */
function verbIndexOf(tokens: readonly string[]): number {
  const [first = "", second = ""] = tokens;
  // `list_append`, `set_add`: the data structure leads, and the verb says what is done to it.
  if (tokens.length === 2 && (first === "list" || first === "set") && isPlainVerb(second)) return 1;
  if (vocabulary.LEADING_READ_VERBS.has(first)) return 0;
  const plain = firstLastInner(tokens, isPlainVerb);
  // `download_workflow_run_artifact`: between other words, a run is a thing.
  const isRun = plain > 0 && plain < tokens.length - 1 && isExecution(tokens[plain] ?? "");
  if (isRun && vocabulary.NOUNLIKE_READ_VERBS.has(first)) return 0;
  return plain >= 0 ? plain : firstLastInner(tokens, isNounlikeVerb);
}

/** The write of `get_or_create` or `find_one_and_update`, if a read is joined with one. */
function joinedWrite(tokens: readonly string[], verbAt: number): StatementClass | undefined {
  const joinAt = tokens.findIndex((token, at) => at > verbAt && vocabulary.CONJUNCTIONS.has(token));
  const joined = joinAt === -1 ? "" : (tokens[joinAt + 1] ?? "");
  return isPlainWriteVerb(stemOf(joined))
    ? intentOfToolName(tokens.slice(joinAt + 1).join(" "))
    : undefined;
}

/** The first token if it is one, else the last, else the first inner one (Decision §7). */
function firstLastInner(tokens: readonly string[], isOne: (token: string) => boolean): number {
  const last = tokens.length - 1;
  if (isOne(tokens[0] ?? "")) return 0;
  if (isOne(tokens[last] ?? "")) return last;
  return tokens.findIndex(isOne);
}

function isPlainVerb(token: string): boolean {
  return vocabulary.READ_VERBS.has(token) || isExecution(token) || isPlainWriteVerb(stemOf(token));
}

/** `run`, and `rerun`. */
function isExecution(token: string): boolean {
  return vocabulary.EXECUTE_VERBS.has(token.replace(/^re(?=.{3})/, ""));
}

function isPlainWriteVerb(token: string): boolean {
  return (
    vocabulary.INSERT_VERBS.has(token) ||
    vocabulary.DELETE_VERBS.has(token) ||
    vocabulary.UPDATE_VERBS.has(token)
  );
}

function isNounlikeVerb(token: string): boolean {
  return (
    vocabulary.NOUNLIKE_READ_VERBS.has(token) || vocabulary.NOUNLIKE_WRITE_VERBS.has(stemOf(token))
  );
}

/** `reprioritize` → `prioritize`, `unassign` → `assign`: doing it again or back is still a write. */
function stemOf(token: string): string {
  const stem = token.replace(/^(re|un)(?=.{3})/, "");
  return isPlainWriteVerb(token) || !isPlainWriteVerb(stem) ? token : stem;
}

function isRead(verb: string): boolean {
  return (
    vocabulary.READ_VERBS.has(verb) ||
    vocabulary.NOUNLIKE_READ_VERBS.has(verb) ||
    vocabulary.LEADING_READ_VERBS.has(verb)
  );
}

function executeIntent(tokens: readonly string[]): StatementClass {
  if (tokens.some((token) => vocabulary.EXECUTABLE_NOUNS.has(singular(token)))) return "admin";
  if (tokens.some((token) => vocabulary.QUERY_NOUNS.has(singular(token)))) return "read_select";
  return "write_update";
}

/** The noun phrase acted on, singular: what follows the verb, or else what precedes it. */
function objectOf(tokens: readonly string[], verbAt: number): readonly string[] {
  const after = tokens.slice(verbAt + 1);
  const leads = after.length > 0 && (verbAt === 0 || !vocabulary.PREPOSITIONS.has(after[0] ?? ""));
  const phrase = leads ? after : tokens.slice(0, verbAt);
  const end = phrase.findIndex((token) => vocabulary.PREPOSITIONS.has(token));
  return (end > 0 ? phrase.slice(0, end) : phrase).map(singular);
}

function isSwitchOfObservation(verb: string, object: readonly string[]): boolean {
  const switches = verb === "start" || verb === "stop";
  return switches && vocabulary.OBSERVATION_NOUNS.has(object.at(-1) ?? "");
}

/** Compounds end with what they are: `table_row` is a row, `cache_cluster` a cluster. */
function isGoverned(verb: string, object: readonly string[]): boolean {
  if (vocabulary.GOVERNING_VERBS.has(stemOf(verb)) || vocabulary.MONEY_VERBS.has(verb)) return true;
  const [head, modifier] = headOf(object);
  if (vocabulary.CONFIGURATION_NOUNS.has(head)) return vocabulary.STRUCTURE_NOUNS.has(modifier);
  if (head === "record") return vocabulary.RECORD_QUALIFIERS.has(modifier);
  if (vocabulary.ACCESS_NOUNS.has(head)) return true;
  if (head === "key") return vocabulary.KEY_QUALIFIERS.has(modifier);
  if (vocabulary.STRUCTURE_NOUNS.has(head)) return !vocabulary.CONTENT_VERBS.has(verb);
  if (vocabulary.MONEY_NOUNS.has(head)) return true;
  const ends = vocabulary.ENDING_VERBS.has(verb);
  return ends && (vocabulary.SHARED_NOUNS.has(head) || vocabulary.CONTRACT_NOUNS.has(head));
}

/** Some words govern wherever they stand: a program that changes machines, a way to sign in. */
function isGovernedByName(tokens: readonly string[]): boolean {
  return tokens
    .map(singular)
    .some(
      (token) => vocabulary.PLATFORM_PROGRAMS.has(token) || vocabulary.SIGN_IN_WORDS.has(token),
    );
}

/** The last noun that says something, and the one before it. */
function headOf(object: readonly string[]): readonly [head: string, modifier: string] {
  const at = object.findLastIndex((noun) => !vocabulary.TRANSPARENT_NOUNS.has(noun));
  return [object[at] ?? "", object[at - 1] ?? ""];
}

function writeIntent(verb: string): StatementClass {
  const stem = stemOf(verb);
  // What is undone is neither made nor taken away: it is put back.
  if (stem !== verb && verb.startsWith("un")) return "write_update";
  if (vocabulary.INSERT_VERBS.has(stem)) return "write_insert";
  return vocabulary.DELETE_VERBS.has(stem) ? "write_delete" : "write_update";
}

/** `git_status`, `console_messages`: a name without a verb that says what comes back. */
function namesResult(tokens: readonly string[]): boolean {
  const [head] = headOf(tokens);
  return vocabulary.RESULT_NOUNS.has(head) || singular(head) !== head;
}

function singular(token: string): string {
  if (/(ss|us|is|os)$/.test(token)) return token;
  if (/[^aeiou]ies$/.test(token)) return token.replace(/ies$/, "y");
  if (/(ches|shes|sses|xes)$/.test(token)) return token.replace(/es$/, "");
  return token.length > 3 ? token.replace(/s$/, "") : token;
}
