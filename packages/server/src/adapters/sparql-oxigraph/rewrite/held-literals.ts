import { iriNode, type LiteralNode, type Query } from "../syntax.js";
import { privateDatatype } from "./stored-form.js";

/** The literals of one query, as the engine is to hold them. */
export class HeldLiterals {
  readonly #prefixes: ReadonlyMap<string, string>;

  constructor({ context }: Query) {
    const named = context.flatMap(({ key, value }) =>
      key === undefined ? [] : [[key, value.value] as const],
    );
    this.#prefixes = new Map(named);
  }

  /** Part of a query with every literal in it as it is held. */
  held<T>(part: T): T {
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map((item) => this.held<unknown>(item)) as T;
    if (isLiteral(part)) {
      const datatype = this.#privateDatatype(part);
      return datatype === undefined ? part : { ...part, langOrIri: iriNode(datatype) };
    }
    // A copy with the same members is of the same type.
    return Object.fromEntries(
      Object.entries(part).map(([name, value]) => [name, this.held<unknown>(value)]),
    ) as T;
  }

  /** The private datatypes that the literals in part of a query are to be held under. */
  datatypesIn(part: unknown, found: Set<string> = new Set()): Set<string> {
    if (typeof part !== "object" || part === null) return found;
    if (isLiteral(part)) {
      const datatype = this.#privateDatatype(part);
      if (datatype !== undefined) found.add(datatype);
    }
    for (const value of Object.values(part)) this.datatypesIn(value, found);
    return found;
  }

  #privateDatatype({ value, langOrIri }: LiteralNode): string | undefined {
    if (typeof langOrIri !== "object") return undefined;
    const { prefix, value: name } = langOrIri;
    const start = prefix === undefined ? "" : (this.#prefixes.get(prefix) ?? "");
    return privateDatatype({ termType: "Literal", value, datatype: { value: start + name } });
  }
}

function isLiteral(part: object): part is LiteralNode {
  return "type" in part && part.type === "term" && "subType" in part && part.subType === "literal";
}
