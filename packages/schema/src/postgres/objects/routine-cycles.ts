import { assert } from "@steward/kernel/assert.js";
import type { Statement } from "../../model/commands.js";
import type { PostgresObject, PostgresSchema } from "../../model/schema.js";
import { routineText } from "../../sql/routine-text.js";
import { on, statement } from "../commands.js";
import { needsOf } from "./dependency-order.js";
import { namesIn } from "./names.js";

/**
 * Routines whose parsed bodies (`RETURN …`, `BEGIN ATOMIC …`) lead back to themselves, directly or
 * through other routines, views and tables. No order creates or drops such a cycle, so its routines
 * have a provisional body at first, and before they are dropped.
 */
export class RoutineCycles {
  readonly #schema: PostgresSchema;
  /** The members of a cycle, by each member's id. Columns are represented by their tables. */
  readonly #cycles = new Map<string, ReadonlySet<string>>();
  /** The first lines of the routines in cycles, up to their bodies, by id. */
  readonly #heads = new Map<string, string>();

  constructor(schema: PostgresSchema) {
    this.#schema = schema;
    const parsed = [...schema.all("Function"), ...schema.all("Procedure")].flatMap((routine) => {
      const text = routineText(routine.values.definition);
      return text?.isParsed === true ? [{ routine, text }] : [];
    });
    if (parsed.length === 0) return;
    this.#findCycles(parsed.map(({ routine }) => routine));
    for (const { routine, text } of parsed) {
      // PostgreSQL records no dependency of an object on itself.
      const name = /\b(?:FUNCTION|PROCEDURE) (.*?\()/s.exec(text.head)?.[1];
      if (name !== undefined && text.tail.includes(name) && !this.#cycles.has(routine.id))
        this.#cycles.set(routine.id, new Set([routine.id]));
      if (this.#cycles.has(routine.id)) this.#heads.set(routine.id, text.head);
    }
  }

  /** Whether the object is a routine in a cycle. */
  has({ id }: PostgresObject): boolean {
    return this.#heads.has(id);
  }

  /**
   * The statements that take the bodies of routines that are dropped, so that they and what they need
   * can be dropped one after the other.
   */
  released(isDropped: (routine: PostgresObject) => boolean): readonly Statement[] {
    return [...this.#heads.keys()]
      .map((id) => this.#schema.get(id))
      .filter((routine) => (this.membersOf(routine)?.size ?? 0) > 1 && isDropped(routine))
      .map((routine) => this.provisional(routine));
  }

  /** The ids of the objects in the cycle that an object belongs to. */
  membersOf(object: PostgresObject): ReadonlySet<string> | undefined {
    return this.#cycles.get(unitOf(object));
  }

  /**
   * What must exist before an object is created, in an order in which the routines of a cycle have
   * provisional bodies until all members exist. Everything else that needs a member comes after that.
   */
  needsOf(object: PostgresObject): readonly string[] {
    if (this.#heads.size === 0) return needsOf(object);
    const members = this.membersOf(object);
    const head = this.#heads.get(object.id);
    const names = head === undefined ? undefined : namesIn(head);
    const inside = needsOf(object).filter((id) => {
      const name = this.#schema.find(id)?.name?.replace(/\(.*$/s, "");
      return (
        !this.#isIn(members, id) || names === undefined || (name !== undefined && names.has(name))
      );
    });
    const outside = this.needsOfAll(members ?? []).filter((id) => !this.#isIn(members, id));
    return [...inside, ...outside].flatMap((id) => {
      const needed = this.#schema.find(id);
      const cycle = needed === undefined ? undefined : this.membersOf(needed);
      return cycle === undefined || cycle === members ? [id] : [id, ...cycle];
    });
  }

  /** What the members of a cycle need, each other included. */
  needsOfAll(members: Iterable<string>): readonly string[] {
    return [...members].flatMap((id) => this.#allNeeds(this.#schema.get(id)));
  }

  /** Gives a routine a body that fails, and needs nothing. */
  provisional(routine: PostgresObject): Statement {
    const head = this.#heads.get(routine.id);
    assert(head !== undefined, `the routine ${routine.id} is in a cycle`);
    const body = "AS $steward$BEGIN RAISE EXCEPTION 'the body is yet to come'; END$steward$";
    const sql = `${head} LANGUAGE plpgsql ${body}`;
    return statement("create", sql, on(this.#schema, routine));
  }

  #isIn(members: ReadonlySet<string> | undefined, id: string): boolean {
    const needed = this.#schema.find(id);
    return needed !== undefined && members?.has(unitOf(needed)) === true;
  }

  #allNeeds(object: PostgresObject): readonly string[] {
    const parts = object.kind === "Table" ? this.#schema.partsOf(object.id, "Column") : [];
    return [object, ...parts].flatMap((each) => needsOf(each));
  }

  /** Tarjan's algorithm: strongly connected components of the objects that the routines need. */
  #findCycles(routines: readonly PostgresObject[]): void {
    const indexes = new Map<string, number>();
    const stack: string[] = [];
    const visit = (object: PostgresObject): number => {
      const { id } = object;
      const index = indexes.size;
      indexes.set(id, index);
      stack.push(id);
      let low = index;
      for (const need of this.#allNeeds(object)) {
        const found = this.#schema.find(need);
        const unit = found === undefined ? undefined : this.#schema.find(unitOf(found));
        if (unit === undefined || unit.id === id || unit.kind === "Schema") continue;
        if (!indexes.has(unit.id)) low = Math.min(low, visit(unit));
        else if (stack.includes(unit.id)) low = Math.min(low, indexes.get(unit.id) ?? low);
      }
      if (low === index) {
        const members = stack.splice(stack.indexOf(id));
        if (members.length > 1) {
          const cycle = new Set(members);
          for (const member of members) this.#cycles.set(member, cycle);
        }
      }
      return low;
    };
    for (const routine of routines) if (!indexes.has(routine.id)) visit(routine);
  }
}

function unitOf({ id, kind, parent }: PostgresObject): string {
  return kind === "Column" ? parent : id;
}
