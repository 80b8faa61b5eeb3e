import { Schema, type SchemaObject } from "../schema.js";
import { alterOn, CONSTRAINTS, onOf } from "./statements.js";
import { isRoutine, qualified, quoteName, WORDS } from "./names.js";

/** What objects of a base are called once the renames are done, which come before everything else. */
export class Renames {
  readonly #base: Schema;
  readonly #target: Schema;
  /** Objects that are made again, and so keep their name until they go. */
  readonly #remade: ReadonlySet<string>;
  /** The base under its new names. */
  readonly renamed: Schema;

  constructor(base: Schema, target: Schema, remade: ReadonlySet<string>) {
    this.#base = base;
    this.#target = target;
    this.#remade = remade;
    this.renamed = new Schema(base.objects.map((old) => ({ ...old, name: this.newName(old) })));
  }

  /** What an object of the base is called after the renames. What goes makes room for who takes its name. */
  newName(old: SchemaObject): string | undefined {
    const now = this.#target.find(old.id);
    if (isRoutine(old) || this.#remade.has(old.id)) return old.name;
    if (now !== undefined) return now.name;
    const siblings = this.#base.partsOf(old.parent ?? "", old.kind);
    const isTaken = siblings.some(
      ({ id, name }) => name !== old.name && this.#target.find(id)?.name === old.name,
    );
    return isTaken ? `_steward_gone_${old.name ?? ""}`.slice(0, 63) : old.name;
  }

  /** Over a name of its own where the new one is still in use. */
  statements(): readonly string[] {
    const first: string[] = [];
    const second: string[] = [];
    for (const [index, old] of this.#base.objects.entries()) {
      const to = this.newName(old);
      if (to === undefined || to === old.name) continue;
      const siblings = this.#base.partsOf(old.parent ?? "");
      const isInUse = siblings.some(({ name }) => name === to);
      const between = isInUse ? `_steward_name_${index}` : to;
      first.push(...this.#rename(old, between));
      if (isInUse) second.push(...this.#rename({ ...old, name: between }, to));
    }
    return [...first, ...second];
  }

  #rename(object: SchemaObject, to: string): readonly string[] {
    const { kind, id, name = "" } = object;
    // What it is a part of has its new name by now.
    const schema = new Schema(this.renamed.objects.map((each) => (each.id === id ? object : each)));
    const change = `${quoteName(name)} TO ${quoteName(to)}`;
    if (kind === "Column") return [`ALTER TABLE ${onOf(schema, object)} RENAME COLUMN ${change}`];
    if (CONSTRAINTS.includes(kind))
      return [`${alterOn(schema, object)} RENAME CONSTRAINT ${change}`];
    if (kind === "Trigger" || kind === "Policy") {
      const [from, next] = [quoteName(name), quoteName(to)];
      return [`ALTER ${kind.toUpperCase()} ${from} ON ${onOf(schema, object)} RENAME TO ${next}`];
    }
    const word = WORDS[kind];
    if (word === undefined) return [];
    return [`ALTER ${word} ${qualified(schema, object)} RENAME TO ${quoteName(to)}`];
  }
}
