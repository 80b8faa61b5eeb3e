import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { API_KEY_NAMES_MAX, API_KEY_OVERLAP_MS_MAX, API_KEYS_PAGE_MAX } from "./limits.js";
import { NAME_LENGTH_MAX } from "../kernel/limits.js";
import { nearMiss } from "../kernel/near-miss.js";
import { ROLE_RULE, roleName } from "@steward/kernel/role-name.js";
import type { OperationCaller } from "../kernel/recorded-operation.js";
import { hashOf, keyText, newKeyId, newSecret, type ApiKey, type ApiKeyDraft } from "./api-key.js";
import { ACTION_GROUPS, ACTIONS, isScope } from "./actions.js";
import { requireMayGive } from "./given-rights.js";
import type { ApiKeyStore } from "./ports.js";

/** A key with the text for its client, which is shown only once. */
export interface IssuedKey {
  readonly key: ApiKey;
  /** `stw_…`; secret. */
  readonly text: string;
}

/** A page of keys, newest first. */
export interface KeyPage {
  readonly keys: readonly ApiKey[];
  /** Opaque cursor of the next page; absent on the last one. */
  readonly nextCursor?: string;
}

/** The roles that the policies in force for an organization name. */
export type KnownRoles = (orgId: string) => Promise<ReadonlySet<string>>;

/** Creates, lists, rotates and revokes the API keys of the caller's organization. */
export class ApiKeyService {
  readonly #store: ApiKeyStore;
  readonly #clock: Clock;
  readonly #knownRoles: KnownRoles;

  constructor(store: ApiKeyStore, clock: Clock, knownRoles: KnownRoles) {
    this.#store = store;
    this.#clock = clock;
    this.#knownRoles = knownRoles;
  }

  /** @throws AppError `POLICY_DENIED`, `INVALID_ARGUMENT` naming the field, `STORE_UNAVAILABLE`. */
  async create(caller: OperationCaller, draft: Omit<ApiKeyDraft, "orgId">): Promise<IssuedKey> {
    const createdAtMs = this.#clock.nowMs();
    checkDraft(draft, createdAtMs);
    if (draft.roles.length > 0) checkRoles(draft.roles, await this.#knownRoles(caller.orgId));
    requireMayGive(caller, draft);
    const shown = { keyId: newKeyId(), secret: newSecret() };
    const { orgId } = caller;
    const { keyId } = shown;
    const key = { ...draft, orgId, keyId, createdAtMs, secretHash: hashOf(shown.secret) };
    const { roles, permissions, scopes, environment } = draft;
    const detail = { roles, permissions, scopes, environment };
    caller.operation?.tell({ subject: keyId, detail });
    await this.#store.add(key, caller.operation);
    return { key, text: keyText(key.environment, shown) };
  }

  /** @throws AppError `INVALID_ARGUMENT` for a strange cursor, `STORE_UNAVAILABLE`. */
  async list(caller: Caller, limit: number, cursor?: string): Promise<KeyPage> {
    const count = Math.min(limit, API_KEYS_PAGE_MAX);
    const after = cursor === undefined ? undefined : positionOf(cursor);
    const keys = await this.#store.list(caller.orgId, count + 1, after);
    const page = keys.slice(0, count);
    const last = page.at(-1);
    return keys.length > count && last !== undefined
      ? { keys: page, nextCursor: `${String(last.createdAtMs)}_${last.keyId}` }
      : { keys: page };
  }

  /**
   * Gives a key a new secret.
   * @param overlapMs How long the present secret stays valid.
   * @throws AppError `NOT_FOUND` for an unknown or revoked key, or another organization's;
   * `POLICY_DENIED` for a key with rights that the caller does not have.
   */
  async rotate(caller: OperationCaller, keyId: string, overlapMs: number): Promise<IssuedKey> {
    if (!(overlapMs >= 0 && overlapMs <= API_KEY_OVERLAP_MS_MAX)) {
      const seconds = String(API_KEY_OVERLAP_MS_MAX / 1000);
      throw invalidField("overlap_seconds", `must be from 0 to ${seconds}`);
    }
    const present = await this.#store.find(keyId);
    if (present?.orgId !== caller.orgId) throw unknownKey(keyId);
    // The new secret has the key's rights, so the caller needs the same rights as for creating the
    // key.
    requireMayGive(caller, present);
    const secret = newSecret();
    const ref = { orgId: caller.orgId, keyId };
    const untilMs = this.#clock.nowMs() + overlapMs;
    const hash = hashOf(secret);
    if (!(await this.#store.rotate(ref, hash, untilMs, caller.operation))) throw unknownKey(keyId);
    const key = await this.#store.find(keyId);
    if (key === undefined) throw unknownKey(keyId);
    return { key, text: keyText(key.environment, { keyId, secret }) };
  }

  /**
   * Revokes a key; within a second no server accepts it. Repeating the call is harmless.
   * @throws AppError `NOT_FOUND` for an unknown key, or another organization's.
   */
  async revoke(caller: OperationCaller, keyId: string): Promise<void> {
    const { orgId, operation } = caller;
    const isKnown = await this.#store.revoke(orgId, keyId, this.#clock.nowMs(), operation);
    if (!isKnown) throw unknownKey(keyId);
  }
}

function checkDraft(draft: Omit<ApiKeyDraft, "orgId">, nowMs: number): void {
  const { name, agentId, userId, roles, permissions, scopes, expiresAtMs } = draft;
  if (name.trim() === "") throw invalidField("name", "must not be empty");
  const texts = { name, agent_id: agentId, user_id: userId };
  for (const [field, text] of Object.entries(texts)) {
    if (text !== undefined && !isName(text)) throw invalidField(field, NAME_RULE);
  }
  for (const [field, names] of Object.entries({ roles, permissions, scopes })) {
    if (names.length > API_KEY_NAMES_MAX) {
      throw invalidField(field, `must have at most ${String(API_KEY_NAMES_MAX)} entries`);
    }
    const rule = field === "roles" ? ROLE_RULE : NAMES_RULE;
    const isNamed = field === "roles" ? isRole : isNameInList;
    if (!names.every(isNamed)) throw invalidField(field, rule);
  }
  for (const scope of scopes) if (!isScope(scope)) throw unknownScope(scope);
  if (expiresAtMs !== undefined && !(expiresAtMs > nowMs)) {
    throw invalidField("expires_at", "must be in the future");
  }
}

function isRole(text: string): boolean {
  return roleName(text) !== undefined;
}

function isNameInList(text: string): boolean {
  return NAME.test(text);
}

/** A role that no policy names permits nothing and forbids nothing: it is a mistake. */
function checkRoles(roles: readonly string[], known: ReadonlySet<string>): void {
  for (const role of roles) {
    if (known.has(roleName(role) ?? "")) continue;
    const near = nearMiss(role, known);
    const meant = near === undefined ? "" : ` (did you mean ${near}?)`;
    throw invalidField(
      "roles",
      `${role} is not a role${meant}: use one of ${[...known].join(", ")}, or first put a policy that names the role`,
    );
  }
}

function unknownScope(scope: string): AppError {
  const near = nearMiss(scope, [...ACTION_GROUPS, ...ACTIONS]);
  const meant = near === undefined ? "" : ` (did you mean ${near}?)`;
  return invalidField(
    "scopes",
    `${scope} is not a scope${meant}; a scope is a group of actions (${ACTION_GROUPS.join(", ")}), or one of them: ${ACTIONS.join(", ")}`,
  );
}

function isName(text: string): boolean {
  return text.length <= NAME_LENGTH_MAX && text !== "" && !/[\u0000-\u001f\u007f]/.test(text);
}

const NAME_RULE = `must be 1 to ${String(NAME_LENGTH_MAX)} characters without control characters`;
/**
 * A name such as `manage:billing`, without commas, so that a list of names can be written as one
 * text.
 */
const NAME = /^[A-Za-z0-9_.:*/-]{1,64}$/;
const NAMES_RULE = "must be names of 1 to 64 letters, digits and _.:*/-";

function positionOf(cursor: string): { createdAtMs: number; keyId: string } {
  const [, createdAtMs, keyId] = /^(\d{1,15})_([0-9a-f]{24})$/.exec(cursor) ?? [];
  if (createdAtMs === undefined || keyId === undefined) {
    throw invalidField("cursor", "must be the next_cursor of a page");
  }
  return { createdAtMs: Number(createdAtMs), keyId };
}

function unknownKey(keyId: string): AppError {
  const shown = keyId.slice(0, 64);
  return new AppError("NOT_FOUND", `Your organization has no valid API key ${shown}`);
}
