import type { StatementClass } from "./intent.js";
import * as vocabulary from "./tool-name-words.js";

/**
 * The intent that a tool's name suggests (Decision §7, name heuristic), for calls without better
 * information. `undefined` when the name has no known verb; it then counts as `write_update`.
 */
export function intentOfToolName(toolName: string): StatementClass | undefined {
  const tokens = tokensOf(toolName);
  // `browser_evaluate`: without an object, what is evaluated is code.
  if (tokens.length > 1 && tokens.at(-1) === "evaluate") return "admin";
  const verbAt = verbIndex(tokens);
  const verb = tokens[verbAt];
  if (verb === undefined || isLookup(tokens)) {
    if (isBinding(tokens)) return "admin";
    // `pages_tool` may do anything with pages, depending on its arguments.
    const saysNothing = /tool$/i.test(toolName) && !vocabulary.RESULT_NOUNS.has(headOf(tokens)[0]);
    return saysNothing ? undefined : intentWithoutVerb(tokens);
  }
  // `confirm_delete_group`: the confirmed action is executed.
  if (verb === "confirm" && isPlainWriteVerb(stemOf(tokens[verbAt + 1] ?? ""))) {
    return intentOfToolName(tokens.slice(verbAt + 1).join(" "));
  }
  // `evaluate_script` executes the script; `evaluate_risk` does not execute the risk.
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
 * `mcp__server__createTable_v2` → `create`, `table`: the server's name and meaningless words are
 * dropped, and the rest is split at separators and changes of case. Accents are dropped because
 * writers often omit them.
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
 * `management` → `manage`; `hset`, `zadd` → `set`, `add`; `llen` → `get`: the prefix letter names a
 * data structure.
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

/**
 * The position of the verb before a place or a means, as in `shutdown_by_tag`. -1: no verb at all.
 */
function verbIndex(tokens: readonly string[]): number {
  const end = tokens.findIndex((token, at) => at > 0 && vocabulary.PREPOSITIONS.has(token));
  const before = end === -1 ? -1 : verbIndexOf(tokens.slice(0, end));
  return before === -1 ? verbIndexOf(tokens) : before;
}

/** `asset_by_id`: in a name without a verb, the thing before `by` is returned. */
function isLookup(tokens: readonly string[]): boolean {
  const by = tokens.indexOf("by");
  return by > 0 && verbIndexOf(tokens.slice(0, by)) === -1 && !tokens.some(isPlainVerb);
}

/** A name without a verb: it names a result, a platform program, or a switch. */
function intentWithoutVerb(tokens: readonly string[]): StatementClass | undefined {
  if (isLookup(tokens) || namesResult(tokens)) return "read_select";
  const [head] = headOf(tokens.slice(0, -1).map(singular));
  const isSwitch = /^(?:on|off)$/.test(tokens.at(-1) ?? "");
  const switchesStructure = isSwitch && vocabulary.STRUCTURE_NOUNS.has(head);
  return switchesStructure || isGovernedByName(tokens) ? "admin" : undefined;
}

/** Unambiguous verbs first; words that may be nouns only if there is none. */
function verbIndexOf(tokens: readonly string[]): number {
  const [first = "", second = ""] = tokens;
  // `list_append`, `set_add`: the data structure comes first, then the verb.
  if (tokens.length === 2 && (first === "list" || first === "set") && isPlainVerb(second)) return 1;
  if (vocabulary.LEADING_READ_VERBS.has(first)) return 0;
  const plain = firstLastInner(tokens, isPlainVerb);
  // `download_workflow_run_artifact`: between other words, `run` is a noun.
  const isRun = plain > 0 && plain < tokens.length - 1 && isExecution(tokens[plain] ?? "");
  if (isRun && vocabulary.NOUNLIKE_READ_VERBS.has(first)) return 0;
  return plain >= 0 ? plain : firstLastInner(tokens, isNounlikeVerb);
}

/** The write in `get_or_create` or `find_one_and_update`, when a read is joined with one. */
function joinedWrite(tokens: readonly string[], verbAt: number): StatementClass | undefined {
  const joinAt = tokens.findIndex((token, at) => at > verbAt && vocabulary.CONJUNCTIONS.has(token));
  const joined = joinAt === -1 ? "" : (tokens[joinAt + 1] ?? "");
  return isPlainWriteVerb(stemOf(joined))
    ? intentOfToolName(tokens.slice(joinAt + 1).join(" "))
    : undefined;
}

/** The first token if it is a verb, else the last, else the first inner one (Decision §7). */
function firstLastInner(tokens: readonly string[], isOne: (token: string) => boolean): number {
  const last = tokens.length - 1;
  if (isOne(tokens[0] ?? "")) return 0;
  if (!isOne(tokens[last] ?? "")) return tokens.findIndex(isOne);
  // `vendor_create_project_update`: such a name ends with a noun.
  if (vocabulary.UNMISTAKABLE_VERBS.has(tokens[1] ?? "")) return 1;
  // `atlas_local_create_access_list`: after a write verb, a read word is a noun too.
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

/**
 * `reprioritize` → `prioritize`, `unassign` → `assign`: repeating or undoing a write is still a
 * write.
 */
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
  // `run_code_analysis`: the code is read, not executed.
  if (vocabulary.ANALYSIS_NOUNS.has(singular(tokens.at(-1) ?? ""))) return "read_select";
  if (tokens.some((token) => vocabulary.EXECUTABLE_NOUNS.has(singular(token)))) return "admin";
  if (isEnacted(tokens.map(singular))) return "admin";
  if (tokens.some((token) => vocabulary.QUERY_NOUNS.has(singular(token)))) return "read_select";
  return "write_update";
}

/** The object in the singular: the noun phrase after the verb, or else before it. */
function objectOf(tokens: readonly string[], verbAt: number): readonly string[] {
  const after = tokens.slice(verbAt + 1);
  const leads = after.length > 0 && (verbAt === 0 || !vocabulary.PREPOSITIONS.has(after[0] ?? ""));
  const phrase = leads ? after : tokens.slice(0, verbAt);
  const end = phrase.findIndex((token) => vocabulary.PREPOSITIONS.has(token));
  return (end > 0 ? phrase.slice(0, end) : phrase).map(singular);
}

/** A token or key that grants access; a `password` may be only random letters. */
function isCredential(object: readonly string[]): boolean {
  const [head, modifier] = headOf(object);
  if (head === "key") return vocabulary.KEY_QUALIFIERS.has(modifier);
  return vocabulary.CREDENTIAL_NOUNS.has(head);
}

/** `workspace_variable`: the configuration of a shared place governs it. */
function isSetUpFor(modifier: string): boolean {
  return vocabulary.STRUCTURE_NOUNS.has(modifier) || vocabulary.SHARED_NOUNS.has(modifier);
}

/**
 * A credential key. A created plain `key` is one too; a deleted plain `key` may be that of an
 * entry.
 */
function isGovernedKey(verb: string, modifier: string, object: readonly string[]): boolean {
  if (vocabulary.KEY_QUALIFIERS.has(modifier)) return true;
  return object.length === 1 && (verb === "create" || verb === "rotate" || verb === "regenerate");
}

/**
 * `add_project_to_page`, `assign_user_to_ticket`: a structure that is only referred to does not
 * change, and people assigned to a work item get no rights.
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

/** `droplet_enable_ipv6`: the first word is the changed thing. */
function isSwitched(tokens: readonly string[], verbAt: number): boolean {
  if (!vocabulary.SWITCHING_VERBS.has(tokens[verbAt] ?? "")) return false;
  const [head] = headOf(tokens.slice(0, verbAt).map(singular));
  return vocabulary.STRUCTURE_NOUNS.has(head);
}

function isSwitchOfObservation(verb: string, object: readonly string[]): boolean {
  const switches = verb === "start" || verb === "stop";
  return switches && vocabulary.OBSERVATION_NOUNS.has(object.at(-1) ?? "");
}

/** The last noun decides: `table_row` is a row, `cache_cluster` a cluster. */
function isGoverned(verb: string, object: readonly string[]): boolean {
  const [head] = headOf(object);
  if (verb === "escalate" && vocabulary.WORK_NOUNS.has(head)) return false;
  if (vocabulary.GOVERNING_VERBS.has(stemOf(verb)) || vocabulary.MONEY_VERBS.has(verb)) return true;
  if (vocabulary.ENACTING_VERBS.has(stemOf(verb)) && isEnacted(object)) return true;
  if (verb === "share" && vocabulary.SHAREABLE_NOUNS.has(head)) return true;
  if (verb === "merge" && object.includes("request")) return true;
  return isPrivileged(verb, object);
}

/** Whether the object, once in force, decides about other things (`apply_migration_plan`). */
function isEnacted(object: readonly string[]): boolean {
  const [head, modifier] = headOf(object);
  const enacted = vocabulary.CARRIER_NOUNS.has(head) ? modifier : head;
  return vocabulary.ENACTED_NOUNS.has(enacted);
}

/** `process_payment`, `issue_certificate`: the object shows that the first word is a verb. */
function isBinding(tokens: readonly string[]): boolean {
  const [first = ""] = tokens;
  if (!vocabulary.BINDING_VERBS.has(first)) return false;
  const object = objectOf(tokens, 0);
  return isEnacted(object) || isPrivileged(first, object);
}

/**
 * Whether the object governs others, holds their data or is money; for some objects, only with
 * certain verbs.
 */
function isPrivileged(verb: string, object: readonly string[]): boolean {
  const [head, modifier] = headOf(object);
  // A plain `group` is a group of people, who get rights from it.
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

/**
 * `web_service`, `content_type`, `default_branch`: things that the preceding word makes privileged.
 */
function isPrivilegedCompound(head: string, modifier: string): boolean {
  return (
    (vocabulary.DEPLOYED_NOUNS.has(head) && vocabulary.DEPLOYED_QUALIFIERS.has(modifier)) ||
    (vocabulary.MODEL_NOUNS.has(head) && vocabulary.MODEL_QUALIFIERS.has(modifier)) ||
    (head === "branch" && vocabulary.BRANCH_QUALIFIERS.has(modifier))
  );
}

/** Some words are governed at every position: platform programs and authentication. */
function isGovernedByName(tokens: readonly string[]): boolean {
  return tokens
    .map(singular)
    .some(
      (token) => vocabulary.PLATFORM_PROGRAMS.has(token) || vocabulary.SIGN_IN_WORDS.has(token),
    );
}

/** The last meaningful noun, and the one before it. */
function headOf(object: readonly string[]): readonly [head: string, modifier: string] {
  const at = object.findLastIndex((noun) => !vocabulary.TRANSPARENT_NOUNS.has(noun));
  return [object[at] ?? "", object[at - 1] ?? ""];
}

function writeIntent(verb: string): StatementClass {
  const stem = stemOf(verb);
  // Undoing a creation or deletion restores a state; it neither creates nor deletes.
  if (stem !== verb && verb.startsWith("un")) return "write_update";
  if (vocabulary.INSERT_VERBS.has(stem)) return "write_insert";
  return vocabulary.DELETE_VERBS.has(stem) ? "write_delete" : "write_update";
}

/** `git_status`, `console_messages`: a name without a verb that names its result. */
function namesResult(tokens: readonly string[]): boolean {
  const [head, modifier] = headOf(tokens);
  // `droplet_snapshot` may create one; `browser_snapshot` shows one.
  if (head === "snapshot" && vocabulary.STRUCTURE_NOUNS.has(modifier)) return false;
  if (vocabulary.RESULT_NOUNS.has(head) || singular(head) !== head) return true;
  // `current_user`: a selecting word is not a verb, so the named thing is returned.
  return vocabulary.SELECTING_WORDS.has(tokens[0] ?? "");
}

function singular(token: string): string {
  if (vocabulary.STRUCTURE_NOUNS.has(token)) return token;
  if (/(ss|us|is|os)$/.test(token)) return token;
  if (/[^aeiou]ies$/.test(token)) return token.replace(/ies$/, "y");
  if (/(ches|shes|sses|xes)$/.test(token)) return token.replace(/es$/, "");
  return token.length > 3 ? token.replace(/s$/, "") : token;
}
