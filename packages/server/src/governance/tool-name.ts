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
  if (verb === undefined || isLookup(tokens)) {
    // `pages_tool` does with pages whatever its arguments say.
    const saysNothing = /tool$/i.test(toolName) && !vocabulary.RESULT_NOUNS.has(headOf(tokens)[0]);
    return saysNothing ? undefined : intentWithoutVerb(tokens);
  }
  // `confirm_delete_group`: what is confirmed is done.
  if (verb === "confirm" && isPlainWriteVerb(stemOf(tokens[verbAt + 1] ?? ""))) {
    return intentOfToolName(tokens.slice(verbAt + 1).join(" "));
  }
  // `evaluate_script` runs it; `evaluate_risk` does not.
  const runsCode = verb === "evaluate" && executeIntent(tokens) === "admin";
  if (runsCode || isExecution(verb)) {
    return isGovernedByName(tokens) ? "admin" : executeIntent(tokens);
  }
  const object = objectOf(tokens, verbAt);
  if (isRead(verb)) {
    if (verb === "generate" && isCredential(object)) return "admin";
    return joinedWrite(tokens, verbAt) ?? "read_select";
  }
  if (isSwitchOfObservation(verb, object)) return "read_select";
  const isAdmin =
    (isGoverned(verb, object) && !isPutElsewhere(tokens, verbAt, object)) ||
    isSwitched(tokens, verbAt) ||
    isGovernedByName(tokens);
  return isAdmin ? "admin" : writeIntent(verb);
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
  return tokens.map(plainVerbOf);
}

/**
 * `management` → `manage`; `hset`, `zadd` → `set`, `add`; `llen` → `get`: a letter before says in what data
 * structure, and what is asked of it comes back.
 */
function plainVerbOf(token: string): string {
  if (/^(?:[hlszx](?:len|card|members|range|keys|vals|score|rank|getall|exists))$/.test(token))
    return "get";
  const command = /^[hlrszx](set|get|del|push|pop|add|rem|trim)$/.exec(token)?.[1];
  const verb = command ?? token;
  return vocabulary.ACTION_NOUNS.get(verb) ?? verb;
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

/** `asset_by_id`: where no verb stands at all, what stands before `by` comes back. */
function isLookup(tokens: readonly string[]): boolean {
  const by = tokens.indexOf("by");
  return by > 0 && verbIndexOf(tokens.slice(0, by)) === -1 && !tokens.some(isPlainVerb);
}

/** A name without a verb: of a result, of a program that changes platforms, or of a switch. */
function intentWithoutVerb(tokens: readonly string[]): StatementClass | undefined {
  if (isLookup(tokens) || namesResult(tokens)) return "read_select";
  const [head] = headOf(tokens.slice(0, -1).map(singular));
  const isSwitch = /^(?:on|off)$/.test(tokens.at(-1) ?? "");
  const switchesStructure = isSwitch && vocabulary.STRUCTURE_NOUNS.has(head);
  return switchesStructure || isGovernedByName(tokens) ? "admin" : undefined;
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
  if (!isOne(tokens[last] ?? "")) return tokens.findIndex(isOne);
  // `vendor_create_project_update`: what ends such a name is a thing.
  if (vocabulary.UNMISTAKABLE_VERBS.has(tokens[1] ?? "")) return 1;
  // `atlas_local_create_access_list`: behind a write, so is a word that reads.
  const write = tokens.findIndex((token) => isOne(token) && isPlainWriteVerb(stemOf(token)));
  return write !== -1 && isRead(tokens[last] ?? "") ? write : last;
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
  // `run_code_analysis`: the code is what is looked at, not what runs.
  if (vocabulary.ANALYSIS_NOUNS.has(singular(tokens.at(-1) ?? ""))) return "read_select";
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

/** A token or key that is handed out; a password may be no more than random letters. */
function isCredential(object: readonly string[]): boolean {
  const [head, modifier] = headOf(object);
  if (head === "key") return vocabulary.KEY_QUALIFIERS.has(modifier);
  return vocabulary.CREDENTIAL_NOUNS.has(head);
}

/** `workspace_variable`: what is set up for a place where work is done together governs it. */
function isSetUpFor(modifier: string): boolean {
  return vocabulary.STRUCTURE_NOUNS.has(modifier) || vocabulary.SHARED_NOUNS.has(modifier);
}

/** One that opens something; a bare key that is created does too, one that is deleted may be an entry's. */
function isGovernedKey(verb: string, modifier: string, object: readonly string[]): boolean {
  if (vocabulary.KEY_QUALIFIERS.has(modifier)) return true;
  return object.length === 1 && (verb === "create" || verb === "rotate" || verb === "regenerate");
}

/**
 * `add_project_to_page`, `assign_user_to_ticket`: where a structure is only referred to, it stays as it was,
 * and people who are put to a piece of work get no rights.
 */
function isPutElsewhere(
  tokens: readonly string[],
  verbAt: number,
  object: readonly string[],
): boolean {
  const verb = tokens[verbAt] ?? "";
  const at = tokens.findIndex((token) => token === "to" || token === "from");
  if (at === -1 || !vocabulary.PUTTING_VERBS.has(stemOf(verb))) return false;
  const [place] = headOf(tokens.slice(at + 1).map(singular));
  if (vocabulary.WORK_NOUNS.has(place)) return true;
  const isPrivileged = vocabulary.STRUCTURE_NOUNS.has(place) || vocabulary.ACCESS_NOUNS.has(place);
  return vocabulary.STRUCTURE_NOUNS.has(headOf(object)[0]) && place !== "" && !isPrivileged;
}

/** `droplet_enable_ipv6`: what leads is what is changed. */
function isSwitched(tokens: readonly string[], verbAt: number): boolean {
  if (!vocabulary.SWITCHING_VERBS.has(tokens[verbAt] ?? "")) return false;
  const [head] = headOf(tokens.slice(0, verbAt).map(singular));
  return vocabulary.STRUCTURE_NOUNS.has(head);
}

function isSwitchOfObservation(verb: string, object: readonly string[]): boolean {
  const switches = verb === "start" || verb === "stop";
  return switches && vocabulary.OBSERVATION_NOUNS.has(object.at(-1) ?? "");
}

/** Compounds end with what they are: `table_row` is a row, `cache_cluster` a cluster. */
function isGoverned(verb: string, object: readonly string[]): boolean {
  const [head] = headOf(object);
  if (verb === "escalate" && vocabulary.WORK_NOUNS.has(head)) return false;
  if (vocabulary.GOVERNING_VERBS.has(stemOf(verb)) || vocabulary.MONEY_VERBS.has(verb)) return true;
  return isPrivileged(verb, object);
}

/** Whether the thing acted on governs others, holds their data or is money; for some, by some verbs only. */
function isPrivileged(verb: string, object: readonly string[]): boolean {
  const [head, modifier] = headOf(object);
  // A group of nothing else is one of people, who have their rights by it.
  if (head === "" && object.includes("group")) return true;
  if (vocabulary.CONFIGURATION_NOUNS.has(head)) {
    return isSetUpFor(modifier) || object.includes("group") || object.includes("set");
  }
  if (head === "record") return vocabulary.RECORD_QUALIFIERS.has(modifier);
  if (vocabulary.ACCESS_NOUNS.has(head)) return true;
  if (head === "key") return isGovernedKey(verb, modifier, object);
  if (vocabulary.STRUCTURE_NOUNS.has(head)) return !vocabulary.CONTENT_VERBS.has(verb);
  if (vocabulary.MONEY_NOUNS.has(head)) return true;
  if (vocabulary.RUNNING_NOUNS.has(head) && vocabulary.OPERATING_VERBS.has(verb)) return true;
  if (isPrivilegedCompound(head, modifier)) return true;
  if (head === "field" && (modifier === "" || vocabulary.MODEL_QUALIFIERS.has(modifier))) {
    return vocabulary.REMODELLING_VERBS.has(verb);
  }
  const ends = vocabulary.ENDING_VERBS.has(verb);
  const isContract =
    vocabulary.CONTRACT_NOUNS.has(head) && !vocabulary.NOTICE_QUALIFIERS.has(modifier);
  return ends && (vocabulary.SHARED_NOUNS.has(head) || isContract);
}

/** `web_service`, `content_type`, `default_branch`: things that the word before makes privileged. */
function isPrivilegedCompound(head: string, modifier: string): boolean {
  return (
    (vocabulary.DEPLOYED_NOUNS.has(head) && vocabulary.DEPLOYED_QUALIFIERS.has(modifier)) ||
    (vocabulary.MODEL_NOUNS.has(head) && vocabulary.MODEL_QUALIFIERS.has(modifier)) ||
    (head === "branch" && vocabulary.BRANCH_QUALIFIERS.has(modifier))
  );
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
  const [head, modifier] = headOf(tokens);
  // `droplet_snapshot` may take one; `browser_snapshot` shows one.
  if (head === "snapshot" && vocabulary.STRUCTURE_NOUNS.has(modifier)) return false;
  if (vocabulary.RESULT_NOUNS.has(head) || singular(head) !== head) return true;
  // `current_user`: a word that selects is no verb, so what is named comes back.
  return vocabulary.SELECTING_WORDS.has(tokens[0] ?? "");
}

function singular(token: string): string {
  if (vocabulary.STRUCTURE_NOUNS.has(token)) return token;
  if (/(ss|us|is|os)$/.test(token)) return token;
  if (/[^aeiou]ies$/.test(token)) return token.replace(/ies$/, "y");
  if (/(ches|shes|sses|xes)$/.test(token)) return token.replace(/es$/, "");
  return token.length > 3 ? token.replace(/s$/, "") : token;
}
