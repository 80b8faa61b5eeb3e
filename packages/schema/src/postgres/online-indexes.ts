import { assert } from "@steward/kernel/assert.js";
import type { Statement } from "../model/commands.js";
import {
  isOf,
  nameOf,
  type PostgresObject,
  type PostgresSchema,
  withName,
} from "../model/schema.js";
import { alteringTable, concurrently, on, statement } from "./commands.js";
import type { LockedTables } from "./locks/locked-tables.js";
import { attachedTo } from "./objects/attachments.js";
import { needsOf } from "./objects/dependency-order.js";
import { qualified, quoteName } from "./objects/names.js";
import type { RebuildPlan } from "./rebuild-plan.js";
import { createIndex, drop } from "./statements.js";

/** Constraints that a unique index can become. */
const KEYS = ["PrimaryKey", "UniqueConstraint"] as const;

/** The statements that build an index while other sessions read and write its table. */
export interface OnlineBuild {
  /** Builds the index outside of transactions. */
  readonly build: Statement;
  /** Puts it in its place, in a transaction. */
  readonly swap: readonly Statement[];
  /** Drops the index that it replaces, outside of transactions. */
  readonly drop: readonly Statement[];
}

/**
 * The keys of existing tables, and the changed indexes and keys, that are built with CONCURRENTLY.
 * An index that changes stays in use until its successor is complete, so that a build that fails
 * leaves the table as it was. A change is made in the main transaction instead where the old index
 * cannot stay: its columns change, other objects depend on it, or it is partitioned.
 */
export class OnlineIndexes {
  readonly #base: PostgresSchema;
  readonly #target: PostgresSchema;
  readonly #rebuild: RebuildPlan;
  readonly #tables: LockedTables;
  /** Ids of the indexes and keys that stay until their successors are complete. */
  readonly #replaced: readonly string[];
  /** Memo: the ids of all objects that others need, in the base and in the target. */
  #needed: { readonly base: ReadonlySet<string>; readonly target: ReadonlySet<string> } | undefined;

  constructor(
    base: PostgresSchema,
    target: PostgresSchema,
    rebuild: RebuildPlan,
    tables: LockedTables,
  ) {
    this.#base = base;
    this.#target = target;
    this.#rebuild = rebuild;
    this.#tables = tables;
    this.#replaced = [...rebuild.recreated].filter((id) => this.#canStay(id));
  }

  /** Whether an index or a key of the base stays until its successor is complete. */
  isReplaced({ id }: PostgresObject): boolean {
    return this.#replaced.includes(id);
  }

  /** The statements for a key or a changed index; undefined when it is not built this way. */
  buildOf(object: PostgresObject): OnlineBuild | undefined {
    const isKey = isOf(object, KEYS);
    const isReplaced = this.isReplaced(object);
    if (!isReplaced && !(isKey && this.#isNewOnline(object))) return undefined;
    const name = nameOf(object);
    const number = String(this.#replaced.indexOf(object.id) + 1);
    const [aside, old] = [`_steward_new_${number}_${name}`, `_steward_old_${number}_${name}`].map(
      (each) => withName(object, each.slice(0, NAME_LENGTH_MAX)),
    );
    assert(aside !== undefined && old !== undefined, "an index and its predecessor have names");
    const built = isReplaced ? aside : object;
    if (isKey) return this.#buildOfKey(object, nameOf(built), isReplaced);
    const index = isOf(built, ["Index"]) ? built : undefined;
    assert(index !== undefined, `the object ${object.id} is an index`);
    return {
      build: createIndex(this.#target, index, { isConcurrent: true }),
      swap: [this.#rename(object, nameOf(old)), this.#rename(aside, name)],
      drop: [this.#drop(old)],
    };
  }

  #buildOfKey(
    key: PostgresObject<(typeof KEYS)[number]>,
    built: string,
    isReplaced: boolean,
  ): OnlineBuild {
    const parts = KEY.exec(key.values.definition)?.groups;
    assert(parts !== undefined, `the definition of ${key.id} is that of a key`);
    const { word = "", nulls = "", columns = "", timing = "" } = parts;
    const options = key.values.options;
    const index: PostgresObject<"Index"> = {
      ...{ id: key.id, kind: "Index" as const, name: built, parent: key.parent },
      values: {
        definition: `btree ${columns}${nulls}`,
        parts: [],
        isUnique: true,
        ...(options === undefined ? {} : { options }),
      },
    };
    const using = `USING INDEX ${quoteName(built)}`;
    const action = `ADD CONSTRAINT ${quoteName(key.name)} ${word} ${using}${timing}`;
    return {
      build: createIndex(this.#target, index, { isConcurrent: true }),
      swap: [
        ...(isReplaced ? [drop(this.#target, key, this.#tables)] : []),
        alteringTable("add_constraint", this.#target, key, action),
      ],
      drop: [],
    };
  }

  #rename(index: PostgresObject, to: string): Statement {
    const sql = `ALTER INDEX ${qualified(this.#target, index)} RENAME TO ${quoteName(to)}`;
    return statement("rename", sql, on(this.#target, index));
  }

  #drop(index: PostgresObject): Statement {
    const name = qualified(this.#target, index);
    const table = this.#target.pathOf(this.#target.above(index));
    const subject = { object: this.#target.pathOf(index), table };
    return concurrently(
      "drop_index_concurrently",
      `DROP INDEX CONCURRENTLY ${name}`,
      name,
      subject,
    );
  }

  /** Whether an index or key of both schemas can stay in the table until the swap. */
  #canStay(id: string): boolean {
    const [old, now] = [this.#base.find(id), this.#target.find(id)];
    if (old === undefined || now === undefined || old.name !== now.name) return false;
    if (!isOf(now, ["Index", ...KEYS]) || old.kind !== now.kind) return false;
    if (!this.#isOnPlainTable(old) || !this.#isAlone(now) || attachedTo(old) !== undefined)
      return false;
    if (this.#neededByOthers().base.has(id) || !this.#keepsInherited(old.parent)) return false;
    // The inherited columns of a primary key may become nullable.
    const isInheriting = this.#base.find(old.parent)?.values.inherits !== undefined;
    if (isInheriting && old.kind === "PrimaryKey") return false;
    return needsOf(old).every((need) => need === old.parent || this.#isUnchanged(need, old));
  }

  /**
   * Whether no ancestor of a table loses a column, which would take the table's along with its
   * indexes. PostgreSQL records no dependency of an index on such a column.
   */
  #keepsInherited(table: string | undefined): boolean {
    return (this.#base.find(table)?.values.inherits ?? []).every(({ table: { ref } }) => {
      const columns = this.#base.partsOf(ref, "Column");
      return !columns.some(({ id }) => this.#rebuild.isGone(id)) && this.#keepsInherited(ref);
    });
  }

  /** Whether an object that an index is on stays as it is while the index does. */
  #isUnchanged(id: string, index: PostgresObject): boolean {
    const [old, now] = [this.#base.get(id), this.#target.find(id)];
    if (now === undefined || this.#rebuild.isGone(id)) return false;
    // A column of a primary key cannot become nullable before the key is dropped.
    return index.kind !== "PrimaryKey" || !this.#rebuild.changed(old, now).includes("notNull");
  }

  /** Whether a new key's table may have rows. */
  #isNewOnline(key: PostgresObject): boolean {
    return this.#base.find(key.id) === undefined && this.#isOnPlainTable(key) && this.#isAlone(key);
  }

  #isOnPlainTable({ parent }: PostgresObject): boolean {
    const [old, now] = [this.#base.find(parent), this.#target.find(parent)];
    if (old?.kind !== "Table" || now === undefined || this.#rebuild.isDropped(old)) return false;
    return old.values.partitionKey === undefined && now.values.partitionKey === undefined;
  }

  /** Whether nothing but foreign keys, which can wait, needs an index or key. */
  #isAlone(object: PostgresObject): boolean {
    const { id, values } = object;
    if (attachedTo(object) !== undefined) return false;
    if (isOf(object, KEYS) && !KEY.test(values.definition ?? "")) return false;
    return !this.#neededByOthers().target.has(id);
  }

  /** What others need; in the target, foreign keys do not count. */
  #neededByOthers(): { readonly base: ReadonlySet<string>; readonly target: ReadonlySet<string> } {
    const needed = (objects: readonly PostgresObject[]): ReadonlySet<string> =>
      new Set(objects.flatMap(needsOf));
    const later = this.#target.objects.filter(({ kind }) => kind !== "ForeignKey");
    return (this.#needed ??= { base: needed(this.#base.objects), target: needed(later) });
  }
}

/** Limit of a name in PostgreSQL, in bytes; it shortens a longer one itself. */
const NAME_LENGTH_MAX = 63;

/**
 * The definition of a key, as PostgreSQL prints it. A key with WITHOUT OVERLAPS has an index that
 * is not unique.
 */
const KEY =
  /^(?<word>UNIQUE|PRIMARY KEY)(?<nulls> NULLS NOT DISTINCT)? (?<columns>\((?!.* WITHOUT OVERLAPS).*\))(?<timing>(?: DEFERRABLE)?(?: INITIALLY DEFERRED)?)$/s;
