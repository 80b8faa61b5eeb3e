import { iriNode, type LiteralNode, type Query } from "../syntax.js";
import { privateDatatype } from "./stored-form.js";

/** The literals of one query, with the datatypes under which the engine stores them. */
export class HeldLiterals {
  readonly #prefixes: ReadonlyMap<string, string>;

  constructor({ context }: Query) {
    const named = context.flatMap(({ key, value }) =>
      key === undefined ? [] : [[key, value.value] as const],
    );
    this.#prefixes = new Map(named);
  }

  /** A part of a query with its literals replaced by their stored forms. */
  held<T>(part: T): T {
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map((item) => this.held<unknown>(item)) as T;
    if (isLiteral(part)) {
      const datatype = this.#privateDatatype(part);
      return datatype === undefined ? part : { ...part, langOrIri: iriNode(datatype) };
    }
    // A copy with the same members has the same type.
    return Object.fromEntries(
      Object.entries(part).map(([name, value]) => [name, this.held<unknown>(value)]),
    ) as T;
  }

  /** The private datatypes under which the literals in a part of a query are stored. */
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
