import {
  isOf,
  nameOf,
  type PostgresObject,
  type PostgresSchema,
  Schema,
  withName,
} from "../model/schema.js";
import type { Statement } from "../model/commands.js";
import { on, statement } from "./commands.js";
import {
  CONSTRAINTS,
  isRoutine,
  onOf,
  qualified,
  quoteName,
  WORDS,
  wordOf,
} from "./objects/names.js";
import type { Kind } from "../model/kinds.js";
import { Moves } from "./objects/moves.js";
import type { RebuildPlan } from "./rebuild-plan.js";
import { alterOn } from "./constraints.js";

const RELATED: readonly Kind[] = [
  ...(["Table", "View", "MaterializedView", "Sequence"] as const),
  ...(["EnumType", "CompositeType", "RangeType", "Domain"] as const),
];

/** The names of base objects after the renames, which are the first statements of a script. */
export class Renames {
  readonly #base: PostgresSchema;
  readonly #target: PostgresSchema;
  readonly #rebuild: RebuildPlan;
  readonly #moves: Moves;
  /** The base schema with its new names and moved objects. */
  readonly renamed: PostgresSchema;

  constructor(base: PostgresSchema, target: PostgresSchema, rebuild: RebuildPlan) {
    this.#base = base;
    this.#target = target;
    this.#rebuild = rebuild;
    this.#moves = new Moves(base, target, rebuild.recreated);
    const named = base.objects.map((old) => {
      return withName(old, this.newName(old), this.#moves.parentOf(old));
    });
    const made = target.all("Schema").filter(({ id }) => base.find(id) === undefined);
    this.renamed = new Schema([...named, ...made]);
  }

  /**
   * The name of a base object after the renames. A recreated object keeps its old name until it is
   * dropped. A dropped object gets a temporary name when another object takes over its name.
   */
  newName(old: PostgresObject): string | undefined {
    const now = this.#target.find(old.id);
    if (isRoutine(old)) return this.#rebuild.routineName(old);
    const isKept = now !== undefined && !this.#rebuild.recreated.has(old.id);
    if (isKept) return now.name;
    const between = this.#moves.between.get(old.id);
    if (between !== undefined || now !== undefined) return between ?? old.name;
    const siblings = this.#base.partsOf(old.parent, old.kind);
    const isTaken =
      siblings.some(
        ({ id, name }) => name !== old.name && this.#target.find(id)?.name === old.name,
      ) ||
      (RELATED.includes(old.kind) && this.#isTakenByAnother(old));
    return isTaken ? `_steward_gone_${nameOf(old)}`.slice(0, 63) : old.name;
  }

  /**
   * Relations and types share a namespace, and some old objects are only dropped after the new ones
   * were created.
   */
  #isTakenByAnother({ kind, name, parent }: PostgresObject): boolean {
    const others = this.#target.partsOf(parent, ...RELATED);
    return others.some((each) => {
      const old = this.#base.find(each.id);
      const isMovedHere = old !== undefined && old.parent !== parent;
      return (each.kind !== kind || isMovedHere) && each.name === name;
    });
  }

  /**
   * Renames parts before their parents, whose old names the statements use. A temporary name is
   * used where the new name may still be taken.
   */
  statements(): readonly Statement[] {
    const levels: PostgresObject[][] = [];
    for (const old of this.#base.objects) {
      const to = this.newName(old);
      // A routine's argument types are renamed with the types.
      if (isRoutine(old)) continue;
      const isRenamed = to !== undefined && to !== old.name;
      const isMoving = this.#moves.between.has(old.id);
      if (isRenamed || isMoving) (levels[this.#depthOf(old)] ??= []).push(old);
    }
    const inUse = new Set(this.#base.objects.map(({ name }) => name));
    return levels.reverse().flatMap((level) => {
      const first: Statement[] = [];
      const second: Statement[] = [];
      for (const [index, old] of level.entries()) {
        const moving = this.#moves.between.get(old.id);
        if (moving !== undefined) {
          first.push(...this.#rename(this.#base, old, moving));
          continue;
        }
        const to = this.newName(old);
        if (to === undefined) continue;
        const between = inUse.has(to) ? `_steward_name_${index}` : to;
        first.push(...this.#rename(this.#base, old, between));
        if (between !== to) second.push(...this.#rename(this.#base, withName(old, between), to));
      }
      return [...first, ...second];
    });
  }

  /** Moves objects to other schemas, after all renames and after all schemas were created. */
  moves(): readonly Statement[] {
    const { moved, between } = this.#moves;
    const sets = moved.map((old) => {
      const name = between.get(old.id) ?? this.newName(old);
      const to = this.#target.above(this.#target.get(old.id));
      const named = withName(old, name);
      const from = qualified(this.renamed, named);
      const sql = `ALTER ${wordOf(old)} ${from} SET SCHEMA ${quoteName(nameOf(to))}`;
      return statement("set_schema", sql, on(this.renamed, named));
    });
    const names = [...between].flatMap(([id, name]) => {
      const final = this.renamed.get(id);
      if (final.name === name) return [];
      return this.#rename(this.renamed, withName(final, name), nameOf(final));
    });
    return [...sets, ...names];
  }

  #depthOf({ parent }: PostgresObject): number {
    return parent === undefined ? 0 : 1 + this.#depthOf(this.#base.get(parent));
  }

  #rename(schema: PostgresSchema, object: PostgresObject, to: string): readonly Statement[] {
    const sql = renameText(schema, object, quoteName(to));
    return sql === undefined ? [] : [statement("rename", sql, on(schema, object))];
  }
}

function renameText(
  schema: PostgresSchema,
  object: PostgresObject,
  to: string,
): string | undefined {
  const { kind } = object;
  const name = quoteName(nameOf(object));
  if (kind === "Column")
    return `ALTER TABLE ${onOf(schema, object)} RENAME COLUMN ${name} TO ${to}`;
  if (isOf(object, CONSTRAINTS)) {
    return `${alterOn(schema, object)} RENAME CONSTRAINT ${name} TO ${to}`;
  }
  if (kind === "Trigger" || kind === "Policy" || kind === "Rule") {
    return `ALTER ${kind.toUpperCase()} ${name} ON ${onOf(schema, object)} RENAME TO ${to}`;
  }
  if (WORDS[kind] === undefined) return undefined;
  return `ALTER ${wordOf(object)} ${qualified(schema, object)} RENAME TO ${to}`;
}
