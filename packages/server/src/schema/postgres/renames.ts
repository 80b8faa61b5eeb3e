import { Schema, type SchemaObject } from "../schema.js";
import { CONSTRAINTS, isRoutine, qualified, quoteName, WORDS, wordOf } from "./names.js";
import type { Kind } from "../kinds.js";
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
  /** The base under its new names. */
  readonly renamed: Schema;

  constructor(base: Schema, target: Schema, remaking: Remaking) {
    this.#base = base;
    this.#target = target;
    this.#remaking = remaking;
    this.renamed = new Schema(base.objects.map((old) => ({ ...old, name: this.newName(old) })));
  }

  /**
   * What an object of the base is called after the renames. What is made again keeps its name until it goes;
   * what goes for good makes room for what takes its name.
   */
  newName(old: SchemaObject): string | undefined {
    const now = this.#target.find(old.id);
    if (isRoutine(old)) return this.#remaking.routineName(old);
    if (this.#remaking.remade.has(old.id)) return old.name;
    if (now !== undefined) return now.name;
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
    return others.some((each) => each.kind !== kind && each.name === name);
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
      if (to !== undefined && to !== old.name) (levels[this.#depthOf(old)] ??= []).push(old);
    }
    const inUse = new Set(this.#base.objects.map(({ name }) => name));
    return levels.reverse().flatMap((level) => {
      const first: string[] = [];
      const second: string[] = [];
      for (const [index, old] of level.entries()) {
        const to = this.newName(old) ?? "";
        const between = inUse.has(to) ? `_steward_name_${index}` : to;
        first.push(...this.#rename(old, between));
        if (between !== to) second.push(...this.#rename({ ...old, name: between }, to));
      }
      return [...first, ...second];
    });
  }

  #depthOf({ parent }: SchemaObject): number {
    return parent === undefined ? 0 : 1 + this.#depthOf(this.#base.get(parent));
  }

  #rename(object: SchemaObject, to: string): readonly string[] {
    const { kind, name = "" } = object;
    const schema = this.#base;
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
