import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import {
  isOf,
  nameOf,
  type PostgresObject,
  type PostgresSchema,
  without,
} from "../model/schema.js";
import type { Statement } from "../model/commands.js";
import { goOnCounting } from "./alter-column.js";
import { columnSettings, inheritedColumnSettings } from "./column-settings.js";
import { alteringTable, commentOn, on, statement } from "./commands.js";
import { copiedPartSettings, extensionsOf, triggerStates } from "./copies.js";
import type { LockedTables } from "./locks/locked-tables.js";
import { inheritedPart, ownerOf } from "./parents/inheritance.js";
import { CONSTRAINTS, onOf, qualified, quoteName, wordOf } from "./objects/names.js";
import type { Kind } from "../model/kinds.js";
import type { RebuildPlan } from "./rebuild-plan.js";
import { changeDefaults, changeRights, changeSequenceRights } from "./objects/rights.js";
import { initialRights, rightsOf, settledRights } from "./objects/rights.js";
import { alterOptions } from "./table-statements.js";

/**
 * Statements that set attributes of existing objects: in the transaction, and after indexes are
 * created.
 */
export interface AttributeStatements {
  readonly now: readonly Statement[];
  readonly last: readonly Statement[];
}

/**
 * Sets owners, comments, privileges, and other attributes that require all objects to exist.
 * @param pending indexes, keys and foreign keys that are created after the transaction.
 */
export function objectAttributes(
  base: PostgresSchema,
  target: PostgresSchema,
  rebuild: RebuildPlan,
  tables: LockedTables,
  pending: ReadonlySet<string>,
): Pausing<AttributeStatements> {
  return new ObjectAttributes(base, target, rebuild, tables, pending).statements();
}

class ObjectAttributes {
  readonly #base: PostgresSchema;
  readonly #target: PostgresSchema;
  readonly #rebuild: RebuildPlan;
  readonly #tables: LockedTables;
  readonly #pending: ReadonlySet<string>;

  constructor(
    base: PostgresSchema,
    target: PostgresSchema,
    rebuild: RebuildPlan,
    tables: LockedTables,
    pending: ReadonlySet<string>,
  ) {
    this.#tables = tables;
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
    now.push(...there.flatMap((each) => this.#settings(each)));
    now.push(...objects.flatMap((each) => this.#rights(each)));
    yield;
    now.push(...this.#holders().flatMap((each) => this.#indexRoles(each, "now")));
    now.push(...this.#defaultPrivileges());
    const last = [
      ...pending.flatMap((each) => [...this.#comments(each), ...this.#settings(each)]),
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

  #own(now: PostgresObject): readonly Statement[] {
    const old = this.#old(now);
    if (now.kind === "DefaultPrivileges" || old?.values.owner === now.values.owner) return [];
    // A serial column's sequence always has the owner of its table.
    if (old?.values.ownedBy !== undefined && this.#isOwnedStill(old, now)) return [];
    const role = now.values.owner ?? "CURRENT_USER";
    const sql = `ALTER ${wordOf(now)} ${qualified(this.#target, now)} OWNER TO ${role}`;
    return [statement("set_owner", sql, on(this.#target, now))];
  }

  #ownedBy(now: PostgresObject): readonly Statement[] {
    const old = this.#old(now);
    const column = ownerOf(this.#target, now);
    if (column === undefined) return [];
    if (old !== undefined && this.#isOwnedStill(old, now)) return [];
    const by = `${onOf(this.#target, column)}.${quoteName(nameOf(column))}`;
    const sql = `ALTER SEQUENCE ${qualified(this.#target, now)} OWNED BY ${by}`;
    const isCounting = old === undefined && !this.#rebuild.isFresh(column);
    return [
      statement("alter_sequence", sql, on(this.#target, now)),
      ...(isCounting && countsUp(now) && isInteger(column)
        ? [goOnCounting(this.#target, column)]
        : []),
    ];
  }

  #isOwnedStill(old: PostgresObject, now: PostgresObject): boolean {
    const [owner, before] = [ownerOf(this.#target, now), ownerOf(this.#base, old)];
    if (owner?.id !== before?.id || owner?.parent !== before?.parent) return false;
    return owner === undefined || !this.#rebuild.isFresh(owner);
  }

  /** A column that became an identity column; its former sequence is dropped by now. */
  #identity(now: PostgresObject): readonly Statement[] {
    const old = this.#old(now);
    const isNew = old?.values.identity === undefined && now.values.identity !== undefined;
    if (old === undefined || !isNew || now.kind !== "Column") return [];
    return countsUp(now) ? [goOnCounting(this.#target, now)] : [];
  }

  #comments(now: PostgresObject): readonly Statement[] {
    const old = this.#old(now);
    const { object, table } = on(this.#target, now);
    // A comment on a constraint, trigger, policy or rule locks the table no more than a query does.
    const isLocked = object === table || now.kind === "Column";
    const { comment, indexComment } = now.values;
    return [
      ...(old?.values.comment === comment
        ? []
        : [
            commentOn(
              commented(this.#target, now),
              isLocked ? { object, table } : { object },
              comment,
            ),
          ]),
      ...(old?.values.indexComment === indexComment
        ? []
        : [commentOn(`INDEX ${qualified(this.#target, now)}`, { object }, indexComment)]),
    ];
  }

  #settings(now: PostgresObject): readonly Statement[] {
    const { kind } = now;
    const old = this.#old(now);
    const target = qualified(this.#target, now);
    const subject = { object: this.#target.pathOf(now) };
    if (now.kind === "Column") {
      // A new type brings its own storage.
      const isReset = old !== undefined && this.#rebuild.touched.has(now.id);
      const kept = isReset ? without(old, "columnStorage", "compression") : old;
      return columnSettings(this.#target, kept?.values, now);
    }
    if (kind === "Statistics" && old?.values.statisticsTarget !== now.values.statisticsTarget) {
      const count = now.values.statisticsTarget ?? "-1";
      return [statement("alter", `ALTER STATISTICS ${target} SET STATISTICS ${count}`, subject)];
    }
    const options = (): readonly Statement[] =>
      alterOptions(`INDEX ${target}`, subject, old?.values.options, now.values.options);
    if (kind === "Index" && old !== undefined) return options();
    if (isOf(now, CONSTRAINTS)) {
      const states = triggerStates(this.#target, now, this.#tables, old?.values.triggerStates);
      // The index of a pending key is built with its options.
      return [...(this.#pending.has(now.id) ? [] : options()), ...states];
    }
    if (kind === "MaterializedView" && old !== undefined) {
      const method = now.values.accessMethod ?? "heap";
      if (old.values.accessMethod !== now.values.accessMethod) {
        const sql = `ALTER MATERIALIZED VIEW ${target} SET ACCESS METHOD ${method}`;
        const rewritten = { ...on(this.#target, now), rows: "rewrite" } as const;
        return [statement("set_access_method", sql, rewritten)];
      }
    }
    return inheritedColumnSettings(this.#base, this.#target, old, now, this.#rebuild);
  }

  /**
   * Adds and removes dependencies on extensions (ALTER … DEPENDS ON EXTENSION). Removals come
   * first, before any extension is dropped.
   */
  #extensions(now: PostgresObject): readonly Statement[] {
    const had = extensionsOf(this.#old(now));
    return extensionsOf(now)
      .filter((each) => !had.includes(each))
      .map((each) => {
        const head = `ALTER ${commented(this.#target, now)}`;
        const sql = `${head} DEPENDS ON EXTENSION ${quoteName(each)}`;
        return statement("depend_on_extension", sql, on(this.#target, now));
      });
  }

  /** The attributes of a partition's or child's copies of its parents' triggers and checks. */
  #copies(now: PostgresObject): readonly Statement[] {
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
    return copiedPartSettings(this.#target, old, now, {
      labelNow,
      isFresh,
      firing,
    });
  }

  #rights(now: PostgresObject): readonly Statement[] {
    if (now.kind === "DefaultPrivileges") return [];
    const old = this.#old(now);
    const schemaId = now.kind === "Column" ? this.#target.get(now.parent).parent : now.parent;
    const before =
      old === undefined
        ? initialRights(this.#base, now.kind, schemaId)
        : rightsOf(old, (label) => this.#rebuild.labelNow(old, label));
    const owner = (now.kind === "Column" ? this.#target.get(now.parent) : now).values.owner;
    const rights = changeRights(this.#target, now, settledRights(before, now.kind, owner));
    if (now.values.identity === undefined) return rights;
    const hadSequence = old?.values.identity !== undefined;
    const sequence = hadSequence
      ? { grants: old.values.sequenceGrants ?? [], revoked: [] }
      : initialRights(this.#base, "Sequence", schemaId);
    const { grants } = settledRights(sequence, "Sequence", owner);
    return [...rights, ...changeSequenceRights(this.#target, now, grants)];
  }

  /** The indexes that CLUSTER and REPLICA IDENTITY use. */
  #indexRoles(now: PostgresObject, moment: "now" | "last"): readonly Statement[] {
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
    const cluster = order.index === undefined ? "SET WITHOUT CLUSTER" : `CLUSTER ON ${order.index}`;
    return [
      ...(order.isKept || !isDue(order)
        ? []
        : [alteringTable("set_cluster_index", this.#target, now, cluster)]),
      ...(isIdentityKept || !isDue(replica)
        ? []
        : [alteringTable("set_replica_identity", this.#target, now, `REPLICA IDENTITY ${by}`)]),
    ];
  }

  /** Runs at the very end, so that objects created earlier get the old default privileges. */
  #defaultPrivileges(): readonly Statement[] {
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
