import type { JsonTerm } from "../../ports.js";
import {
  bindNode,
  type ExpressionNode,
  type GroupKey,
  MADE_UP,
  type Projection,
  type SelectQuery,
  variableNode,
} from "../syntax.js";
import { isExtreme, noExtreme } from "./expressions.js";
import type { QueryRewriter } from "./held-query.js";

/** A row of solutions. */
export type Row = Readonly<Record<string, JsonTerm>>;

/** A MIN or MAX in a projection, and the query for its candidate terms. */
interface Extreme {
  readonly name: string;
  readonly candidates: SelectQuery;
}

const KEY = "steward_key_";
const TERM = "steward_term";
const VALUE = "steward_value";

/**
 * A query whose MIN and MAX must return terms of the dataset. The engine computes them on values
 * and returns a value. A second query finds the terms of each group that have this value.
 */
export class ExtremesQuery {
  /** The query, extended by the keys of the groups. */
  readonly query: SelectQuery;
  readonly extremes: readonly Extreme[];
  readonly #keys: readonly string[];

  constructor(original: SelectQuery, rewriter: QueryRewriter) {
    if (original.distinct === true) throw noExtreme();
    const { variables, solutionModifiers } = original;
    const { group } = solutionModifiers;
    const groupings = group?.groupings ?? [];
    this.#keys = groupings.map((_key, index) => KEY + String(index));
    // Every key gets a name, so that it can be selected.
    const keys = groupings.map(namedKey);
    const modifiers = {
      ...solutionModifiers,
      ...(group && { group: { ...group, groupings: keys } }),
    };
    this.query = {
      ...rewriter.select({ ...original, variables: [], solutionModifiers: modifiers }),
      variables: [
        ...variables.map((one) => asked(one, rewriter)),
        ...keys.map((key, index) => bindNode(nameOf(key), KEY + String(index))),
      ],
    };
    this.extremes = variables.flatMap((one) => {
      if (one.type !== "pattern" || !isExtreme(one.expression)) return [];
      const [operand] = one.expression.expression;
      // Only COUNT accepts a star.
      if (operand.type === "wildcard") return [];
      return [{ name: one.variable.value, candidates: candidates(operand, original, rewriter) }];
    });
  }

  /** The originally selected variables. */
  asked(variables: readonly string[]): readonly string[] {
    return variables.filter((name) => !this.#keys.includes(name));
  }

  /**
   * The solutions as originally requested.
   * @param found the candidates of each extreme, in order.
   */
  answer(rows: readonly Row[], found: readonly (readonly Row[])[]): readonly Row[] {
    const chosen = found.map((candidateRows) => this.#byValue(candidateRows));
    return rows.map((row) => {
      const answer = Object.fromEntries(
        Object.entries(row).filter(([name]) => !this.#keys.includes(name)),
      );
      for (const [index, { name }] of this.extremes.entries()) {
        const value = answer[name];
        if (value === undefined) continue;
        const term = chosen[index]?.get(this.#groupKey(row, value));
        if (term === undefined) throw noExtreme();
        answer[name] = term;
      }
      return answer;
    });
  }

  /** Among several terms with the same value, the choice is deterministic. */
  #byValue(rows: readonly Row[]): ReadonlyMap<string, JsonTerm> {
    const chosen = new Map<string, JsonTerm>();
    for (const row of rows) {
      const [term, value] = [row[TERM], row[VALUE]];
      if (term === undefined || value === undefined) continue;
      const key = this.#groupKey(row, value);
      const known = chosen.get(key);
      if (known === undefined || JSON.stringify(term) < JSON.stringify(known)) {
        chosen.set(key, term);
      }
    }
    return chosen;
  }

  /** The engine serializes equal terms identically. */
  #groupKey(row: Row, value: JsonTerm): string {
    return JSON.stringify([...this.#keys.map((name) => row[name] ?? null), value]);
  }
}

/** Whether MIN or MAX is a complete expression in the query's projection. */
export function hasExtremes({ variables }: SelectQuery): boolean {
  return variables.some((one) => one.type === "pattern" && isExtreme(one.expression));
}

function namedKey(key: GroupKey, index: number): GroupKey {
  const hasName = "variable" in key || (key.type === "term" && key.subType === "variable");
  return hasName ? key : { variable: variableNode(`${KEY}of_${index}`), value: key, loc: MADE_UP };
}

function nameOf(key: GroupKey): ExpressionNode {
  return "variable" in key ? key.variable : key;
}

function asked(one: Projection[number], rewriter: QueryRewriter): Projection[number] {
  if (one.type !== "pattern") return one;
  const { expression } = one;
  const { expressions } = rewriter;
  return {
    ...one,
    expression: isExtreme(expression)
      ? expressions.valueOfAggregate(expression)
      : expressions.term(expression),
  };
}

function candidates(
  operand: ExpressionNode,
  original: SelectQuery,
  rewriter: QueryRewriter,
): SelectQuery {
  const { expressions } = rewriter;
  const { group } = original.solutionModifiers;
  const keys = (group?.groupings ?? []).map((key) => ("variable" in key ? key.value : key));
  const { values: _joinedLater, ...asked } = original;
  return {
    ...rewriter.select({ ...asked, variables: [], solutionModifiers: {} }),
    distinct: true,
    variables: [
      ...keys.map((key, index) => bindNode(expressions.term(key), KEY + String(index))),
      bindNode(expressions.term(operand), TERM),
      bindNode(expressions.value(operand), VALUE),
    ],
  };
}
