import type {
  GroupKey,
  Modifiers,
  PatternNode,
  Projection,
  Query,
  SelectQuery,
} from "../syntax.js";
import { ExpressionRewriter } from "./expressions.js";
import { HeldLiterals } from "./held-literals.js";

/** Rewrites a query for an engine that stores some literals with private datatypes. */
export class QueryRewriter {
  readonly expressions: ExpressionRewriter;
  /** Whether anything has to be rewritten. */
  readonly isNeeded: boolean;
  readonly #literals: HeldLiterals;

  /** @param loaded the private datatypes of the loaded literals. */
  constructor(query: Query, loaded: ReadonlySet<string>) {
    this.#literals = new HeldLiterals(query);
    const datatypes = new Set([...loaded, ...this.#literals.datatypesIn(query)]);
    this.isNeeded = datatypes.size > 0;
    this.expressions = new ExpressionRewriter(datatypes, this.#literals, (pattern) =>
      this.pattern(pattern),
    );
  }

  query(query: Query): Query {
    const { where, values, solutionModifiers } = query;
    const common = {
      ...(where === undefined ? {} : { where: this.pattern(where) }),
      ...(values === undefined ? {} : { values: this.#literals.held(values) }),
      solutionModifiers: this.#modifiers(solutionModifiers),
    };
    switch (query.subType) {
      case "select":
        return { ...query, ...common, variables: this.#projection(query.variables) };
      case "construct":
        return { ...query, ...common, template: this.#literals.held(query.template) };
      default:
        return { ...query, ...common };
    }
  }

  select(query: SelectQuery): SelectQuery {
    // Rewriting preserves a query's type.
    return this.query(query) as SelectQuery;
  }

  key(key: GroupKey): GroupKey {
    return "variable" in key
      ? { ...key, value: this.expressions.term(key.value) }
      : this.expressions.term(key);
  }

  pattern(pattern: PatternNode): PatternNode {
    if (pattern.type === "query") return this.select(pattern);
    switch (pattern.subType) {
      case "bgp":
      case "values":
        return this.#literals.held(pattern);
      case "filter":
        return { ...pattern, expression: this.expressions.value(pattern.expression) };
      case "bind":
        return { ...pattern, expression: this.expressions.term(pattern.expression) };
      default:
        return { ...pattern, patterns: pattern.patterns.map((inner) => this.pattern(inner)) };
    }
  }

  #modifiers(modifiers: Modifiers): Modifiers {
    const { group, having, order } = modifiers;
    const { expressions } = this;
    return {
      ...modifiers,
      ...(group && { group: { ...group, groupings: group.groupings.map((key) => this.key(key)) } }),
      ...(having && {
        having: { ...having, having: having.having.map((one) => expressions.value(one)) },
      }),
      ...(order && {
        order: {
          ...order,
          orderDefs: order.orderDefs.map((by) => ({
            ...by,
            expression: expressions.value(by.expression),
          })),
        },
      }),
    };
  }

  #projection(variables: Projection): Projection {
    return variables.map((one) =>
      one.type === "pattern" ? { ...one, expression: this.expressions.term(one.expression) } : one,
    );
  }
}
