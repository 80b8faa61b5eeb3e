import { assert } from "@steward/kernel/assert.js";
import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import { isOf, nameOf, type PostgresObject, type PostgresSchema } from "../model/schema.js";
import { goOnCounting } from "./alter-column.js";
import { inheritedColumnSettings, type Settings, settings } from "./column-settings.js";
import { copiedPartSettings, extensionsOf, triggerStates } from "./copies.js";
import { inheritedPart } from "./objects/inheritance.js";
import { CONSTRAINTS, qualified, quoteName, quoteText, wordOf } from "./objects/names.js";
import type { Kind } from "../model/kinds.js";
import type { RebuildPlan } from "./rebuild-plan.js";
import { changeDefaults, changeRights, changeSequenceRights } from "./objects/rights.js";
import { initialRights, rightsOf } from "./objects/rights.js";
import { alterOptions, onOf } from "./statements.js";

/**
 * Statements that set attributes of existing objects: in the transaction, and after indexes are
 * created.
 */
export interface AttributeStatements {
  readonly now: readonly string[];
  readonly last: readonly string[];
}

/**
 * Sets owners, comments, privileges, and other attributes that require all objects to exist.
 * @param pending indexes that are created after the transaction.
 */
export function objectAttributes(
  base: PostgresSchema,
  target: PostgresSchema,
  rebuild: RebuildPlan,
  pending: ReadonlySet<string>,
): Pausing<AttributeStatements> {
  return new ObjectAttributes(base, target, rebuild, pending).statements();
}

class ObjectAttributes {
  readonly #base: PostgresSchema;
  readonly #target: PostgresSchema;
  readonly #rebuild: RebuildPlan;
  readonly #pending: ReadonlySet<string>;

  constructor(
    base: PostgresSchema,
    target: PostgresSchema,
    rebuild: RebuildPlan,
    pending: ReadonlySet<string>,
  ) {
    this.#base = base;
    this.#target = target;
    this.#rebuild = rebuild;
    this.#pending = pending;
  }

  *statements(): Pausing<AttributeStatements> {
    const objects = this.#target.objects.filter(({ kind }) => kind !== "Database");
    const pending = objects.filter(({ id }) => this.#pending.has(id));
    const there = objects.filter(({ id }) => !this.#pending.has(id));
    const sequences = this.#target.all("Sequence");
    const now = [
      ...objects.flatMap((each) => this.#own(each)),
      ...sequences.flatMap((each) => this.#ownedBy(each)),
      ...this.#target.all("Column").flatMap((each) => this.#identity(each)),
    ];
    yield;
    now.push(...there.flatMap((each) => [...this.#comments(each), ...this.#extensions(each)]));
    now.push(...this.#target.all("Table").flatMap((each) => this.#copies(each)));
    yield;
    now.push(...objects.flatMap((each) => this.#settings(each)));
    now.push(...objects.flatMap((each) => this.#rights(each)));
    yield;
    now.push(...this.#holders().flatMap((each) => this.#indexRoles(each, "now")));
    now.push(...this.#defaultPrivileges());
    const last = [
      ...pending.flatMap((each) => this.#comments(each)),
      ...pending.flatMap((each) => this.#extensions(each)),
      ...this.#holders().flatMap((each) => this.#indexRoles(each, "last")),
    ];
    return { now, last };
  }

  /**
   * Relations that have rows, so that CLUSTER or REPLICA IDENTITY may name one of their indexes.
   */
  #holders(): readonly PostgresObject[] {
    return [...this.#target.all("Table"), ...this.#target.all("MaterializedView")];
  }

  /** The object of the base schema, unless it is dropped and recreated. */
  #old(now: PostgresObject): PostgresObject | undefined {
    return this.#rebuild.isFresh(now) ? undefined : this.#base.find(now.id);
  }

  #own(now: PostgresObject): readonly string[] {
    const old = this.#old(now);
    if (now.kind === "DefaultPrivileges" || old?.values.owner === now.values.owner) return [];
    // A serial column's sequence always has the owner of its table.
    if (old?.values.ownedBy !== undefined && this.#isOwnedStill(old, now)) return [];
    const role = now.values.owner ?? "CURRENT_USER";
    return [`ALTER ${wordOf(now)} ${qualified(this.#target, now)} OWNER TO ${role}`];
  }

  #ownedBy(now: PostgresObject): readonly string[] {
    const owner = now.values.ownedBy?.ref;
    const old = this.#old(now);
    if (owner === undefined) return [];
    if (old !== undefined && this.#isOwnedStill(old, now)) return [];
    const column = this.#target.get(owner);
    assert(column.kind === "Column", `the object ${owner} is a column`);
    const table = onOf(this.#target, column);
    const by = `${table}.${quoteName(nameOf(column))}`;
    const isCounting = old === undefined && !this.#rebuild.isFresh(column);
    return [
      `ALTER SEQUENCE ${qualified(this.#target, now)} OWNED BY ${by}`,
      ...(isCounting && countsUp(now) && isInteger(column) ? [goOnCounting(table, column)] : []),
    ];
  }

  #isOwnedStill(old: PostgresObject, now: PostgresObject): boolean {
    const owner = now.values.ownedBy?.ref;
    if (owner !== old.values.ownedBy?.ref) return false;
    return owner === undefined || !this.#rebuild.isFresh(this.#target.get(owner));
  }

  /** A column that became an identity column; its former sequence is dropped by now. */
  #identity(now: PostgresObject): readonly string[] {
    const old = this.#old(now);
    const isNew = old?.values.identity === undefined && now.values.identity !== undefined;
    if (old === undefined || !isNew || now.kind !== "Column") return [];
    return countsUp(now) ? [goOnCounting(onOf(this.#target, now), now)] : [];
  }

  #comments(now: PostgresObject): readonly string[] {
    const old = this.#old(now);
    const said: string[] = [];
    const say = (on: string, text: string | undefined): void => {
      said.push(`COMMENT ON ${on} IS ${text === undefined ? "NULL" : quoteText(text)}`);
    };
    if (old?.values.comment !== now.values.comment) {
      say(commented(this.#target, now), now.values.comment);
    }
    if (old?.values.indexComment !== now.values.indexComment) {
      say(`INDEX ${qualified(this.#target, now)}`, now.values.indexComment);
    }
    return said;
  }

  #settings(now: PostgresObject): readonly string[] {
    const { kind } = now;
    const old = this.#old(now);
    const of = (object: PostgresObject | undefined): Settings => object?.values ?? {};
    const target = qualified(this.#target, now);
    if (kind === "Column") {
      const head = `ALTER TABLE ${onOf(this.#target, now)} ALTER COLUMN ${quoteName(nameOf(now))}`;
      return settings(head, now.values.type, of(old), of(now));
    }
    if (kind === "Statistics" && old?.values.statisticsTarget !== now.values.statisticsTarget) {
      const count = now.values.statisticsTarget ?? "-1";
      return [`ALTER STATISTICS ${target} SET STATISTICS ${count}`];
    }
    if (kind === "Index" && old !== undefined) return alterOptions(`INDEX ${target}`, old, now);
    if (isOf(now, CONSTRAINTS)) {
      const states = [old, now].map((of) => of?.values.triggerStates);
      return [
        ...alterOptions(`INDEX ${target}`, old, now),
        ...triggerStates(this.#target, now, states[0], states[1]),
      ];
    }
    if (kind === "MaterializedView" && old !== undefined) {
      const method = now.values.accessMethod ?? "heap";
      if (old.values.accessMethod !== now.values.accessMethod) {
        return [`ALTER MATERIALIZED VIEW ${target} SET ACCESS METHOD ${method}`];
      }
    }
    return inheritedColumnSettings(this.#base, this.#target, old, now, this.#rebuild);
  }

  /**
   * Adds and removes dependencies on extensions (ALTER … DEPENDS ON EXTENSION). Removals come
   * first, before any extension is dropped.
   */
  #extensions(now: PostgresObject): readonly string[] {
    const had = extensionsOf(this.#old(now));
    return extensionsOf(now)
      .filter((each) => !had.includes(each))
      .map((each) => {
        const head = `ALTER ${commented(this.#target, now)}`;
        return `${head} DEPENDS ON EXTENSION ${quoteName(each)}`;
      });
  }

  /** The attributes of a partition's or child's copies of its parents' triggers and checks. */
  #copies(now: PostgresObject): readonly string[] {
    const old = this.#old(now);
    const isFresh = (kind: Kind, label: string): boolean => {
      const source = inheritedPart(this.#target, now, kind, label);
      return old === undefined || (source !== undefined && this.#rebuild.isFresh(source));
    };
    const labelNow = (kind: Kind, label: string): string =>
      old === undefined ? label : this.#rebuild.labelNow(old, label, kind);
    const firing = (label: string): string | undefined => {
      const trigger = inheritedPart(this.#target, now, "Trigger", label);
      return trigger?.values.enabled;
    };
    return copiedPartSettings(qualified(this.#target, now), old, now, {
      labelNow,
      isFresh,
      firing,
    });
  }

  #rights(now: PostgresObject): readonly string[] {
    if (now.kind === "DefaultPrivileges") return [];
    const old = this.#old(now);
    const schemaId = now.kind === "Column" ? this.#target.get(now.parent).parent : now.parent;
    const before =
      old === undefined
        ? initialRights(this.#base, now.kind, schemaId)
        : rightsOf(old, (label) => this.#rebuild.labelNow(old, label));
    const rights = changeRights(this.#target, now, before);
    if (now.values.identity === undefined) return rights;
    const hadSequence = old?.values.identity !== undefined;
    const sequence = hadSequence
      ? (old.values.sequenceGrants ?? [])
      : initialRights(this.#base, "Sequence", schemaId).grants;
    return [...rights, ...changeSequenceRights(this.#target, now, sequence)];
  }

  /** The indexes that CLUSTER and REPLICA IDENTITY use. */
  #indexRoles(now: PostgresObject, moment: "now" | "last"): readonly string[] {
    const head = `ALTER TABLE ${qualified(this.#target, now)}`;
    const old = this.#old(now);
    const role = (property: "isClustered" | "isReplicaIdentity"): IndexRole => {
      const find = (schema: PostgresSchema, id: string): PostgresObject | undefined =>
        schema.partsOf(id).find(({ values }) => values[property] === true);
      const had = old === undefined ? undefined : find(this.#base, old.id);
      const has = find(this.#target, now.id);
      const isKept = had?.id === has?.id && (has === undefined || !this.#rebuild.isFresh(has));
      const isPending = has !== undefined && this.#pending.has(has.id);
      const index = has === undefined ? undefined : quoteName(nameOf(has));
      return { isKept, isPending, index };
    };
    const [order, replica] = [role("isClustered"), role("isReplicaIdentity")];
    const isDue = ({ isPending }: IndexRole): boolean => isPending === (moment === "last");
    const identity = now.values.replicaIdentity?.toUpperCase();
    const isIdentityKept =
      replica.isKept && old?.values.replicaIdentity === now.values.replicaIdentity;
    const by =
      replica.index === undefined ? (identity ?? "DEFAULT") : `USING INDEX ${replica.index}`;
    return [
      ...(order.isKept || !isDue(order)
        ? []
        : [
            `${head} ${order.index === undefined ? "SET WITHOUT CLUSTER" : `CLUSTER ON ${order.index}`}`,
          ]),
      ...(isIdentityKept || !isDue(replica) ? [] : [`${head} REPLICA IDENTITY ${by}`]),
    ];
  }

  /** Runs at the very end, so that objects created earlier get the old default privileges. */
  #defaultPrivileges(): readonly string[] {
    const gone = this.#base
      .all("DefaultPrivileges")
      .filter(({ id, parent }) => {
        return this.#target.find(id) === undefined && this.#target.find(parent) !== undefined;
      })
      .flatMap((each) =>
        changeDefaults(this.#target, each, rightsOf(each), { grants: [], revoked: [] }),
      );
    const now = this.#target
      .all("DefaultPrivileges")
      .flatMap((each) => changeDefaults(this.#target, each, rightsOf(this.#base.find(each.id))));
    return [...gone, ...now];
  }
}

interface IndexRole {
  readonly isKept: boolean;
  readonly isPending: boolean;
  /** Name of the index, quoted. Undefined when the table has no such index. */
  readonly index: string | undefined;
}

/** Whether a sequence, or a column's sequence, is ascending. */
function countsUp({ values }: PostgresObject): boolean {
  return values.sequenceOptions !== undefined && /INCREMENT BY \d/.test(values.sequenceOptions);
}

function isInteger({ values }: PostgresObject<"Column">): boolean {
  return /^(smallint|integer|bigint)$/.test(values.type);
}

/** The name of an object in COMMENT ON and ALTER. */
export function commented(schema: PostgresSchema, object: PostgresObject): string {
  const { kind } = object;
  const name = nameOf(object);
  if (kind === "Column") return `COLUMN ${onOf(schema, object)}.${quoteName(name)}`;
  if (kind === "Trigger" || kind === "Policy" || kind === "Rule") {
    return `${kind.toUpperCase()} ${quoteName(name)} ON ${onOf(schema, object)}`;
  }
  if (!isOf(object, CONSTRAINTS)) return `${wordOf(object)} ${qualified(schema, object)}`;
  const domain = schema.above(object).kind === "Domain" ? "DOMAIN " : "";
  return `CONSTRAINT ${quoteName(name)} ON ${domain}${onOf(schema, object)}`;
}
