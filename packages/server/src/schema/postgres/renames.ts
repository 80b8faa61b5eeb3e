import { Schema, type SchemaObject } from "../schema.js";
import { CONSTRAINTS, isRoutine, qualified, quoteName, WORDS, wordOf } from "./names.js";
import type { Kind } from "../kinds.js";
import { Moves } from "./moves.js";
import type { Remaking } from "./remaking.js";
import { alterOn, onOf } from "./statements.js";

const RELATED: readonly Kind[] = [
  ...(["Table", "View", "MaterializedView", "Sequence"] as const),
  ...(["EnumType", "CompositeType", "RangeType", "Domain"] as const),
];

/** What objects of a base are called once the renames are done, which come before everything else. */
export class Renames {
  readonly #base: Schema;
  readonly #target: Schema;
  readonly #remaking: Remaking;
  readonly #moves: Moves;
  /** The base under its new names, and in its new schemas. */
  readonly renamed: Schema;

  constructor(base: Schema, target: Schema, remaking: Remaking) {
    this.#base = base;
    this.#target = target;
    this.#remaking = remaking;
    this.#moves = new Moves(base, target, remaking.remade);
    const named = base.objects.map((old) => {
      return { ...old, name: this.newName(old), parent: this.#moves.parentOf(old) };
    });
    const made = target.all("Schema").filter(({ id }) => base.find(id) === undefined);
    this.renamed = new Schema([...named, ...made]);
  }

  /**
   * What an object of the base is called after the renames. What is made again keeps its name until it goes;
   * what goes for good makes room for what takes its name.
   */
  newName(old: SchemaObject): string | undefined {
    const now = this.#target.find(old.id);
    if (isRoutine(old)) return this.#remaking.routineName(old);
    const isKept = now !== undefined && !this.#remaking.remade.has(old.id);
    if (isKept) return now.name;
    const between = this.#moves.between.get(old.id);
    if (between !== undefined || now !== undefined) return between ?? old.name;
    const siblings = this.#base.partsOf(old.parent ?? "", old.kind);
    const isTaken =
      siblings.some(
        ({ id, name }) => name !== old.name && this.#target.find(id)?.name === old.name,
      ) ||
      (RELATED.includes(old.kind) && this.#isTakenByAnother(old));
    return isTaken ? `_steward_gone_${old.name ?? ""}`.slice(0, 63) : old.name;
  }

  /** Relations and types share their names, and some go only when others are there already. */
  #isTakenByAnother({ kind, name, parent = "" }: SchemaObject): boolean {
    const others = this.#target.partsOf(parent, ...RELATED);
    return others.some((each) => {
      const old = this.#base.find(each.id);
      const isMovedHere = old !== undefined && old.parent !== parent;
      return (each.kind !== kind || isMovedHere) && each.name === name;
    });
  }

  /**
   * Parts before what they are parts of, which still has its old name then; over a name of their own
   * where the new one may still be in use.
   */
  statements(): readonly string[] {
    const levels: SchemaObject[][] = [];
    for (const old of this.#base.objects) {
      const to = this.newName(old);
      // A routine's arguments are renamed with their types.
      if (isRoutine(old)) continue;
      const isRenamed = to !== undefined && to !== old.name;
      const isMoving = this.#moves.between.has(old.id);
      if (isRenamed || isMoving) (levels[this.#depthOf(old)] ??= []).push(old);
    }
    const inUse = new Set(this.#base.objects.map(({ name }) => name));
    return levels.reverse().flatMap((level) => {
      const first: string[] = [];
      const second: string[] = [];
      for (const [index, old] of level.entries()) {
        const moving = this.#moves.between.get(old.id);
        if (moving !== undefined) {
          first.push(...this.#rename(this.#base, old, moving));
          continue;
        }
        const to = this.newName(old) ?? "";
        const between = inUse.has(to) ? `_steward_name_${index}` : to;
        first.push(...this.#rename(this.#base, old, between));
        if (between !== to) second.push(...this.#rename(this.#base, { ...old, name: between }, to));
      }
      return [...first, ...second];
    });
  }

  /** What goes to another schema, once everything has its name and every schema is there. */
  moves(): readonly string[] {
    const { moved, between } = this.#moves;
    const sets = moved.map((old) => {
      const name = between.get(old.id) ?? this.newName(old);
      const to = this.#target.get(this.#target.get(old.id).parent ?? "");
      const from = qualified(this.renamed, { ...old, name });
      return `ALTER ${wordOf(old)} ${from} SET SCHEMA ${quoteName(to.name ?? "")}`;
    });
    const names = [...between].flatMap(([id, name]) => {
      const final = this.renamed.get(id);
      if (final.name === name) return [];
      return this.#rename(this.renamed, { ...final, name }, final.name ?? "");
    });
    return [...sets, ...names];
  }

  #depthOf({ parent }: SchemaObject): number {
    return parent === undefined ? 0 : 1 + this.#depthOf(this.#base.get(parent));
  }

  #rename(schema: Schema, object: SchemaObject, to: string): readonly string[] {
    const { kind, name = "" } = object;
    const change = `${quoteName(name)} TO ${quoteName(to)}`;
    if (kind === "Column") return [`ALTER TABLE ${onOf(schema, object)} RENAME COLUMN ${change}`];
    if (CONSTRAINTS.includes(kind))
      return [`${alterOn(schema, object)} RENAME CONSTRAINT ${change}`];
    if (kind === "Trigger" || kind === "Policy" || kind === "Rule") {
      const [from, next] = [quoteName(name), quoteName(to)];
      return [`ALTER ${kind.toUpperCase()} ${from} ON ${onOf(schema, object)} RENAME TO ${next}`];
    }
    if (WORDS[kind] === undefined) return [];
    return [`ALTER ${wordOf(object)} ${qualified(schema, object)} RENAME TO ${quoteName(to)}`];
  }
}
