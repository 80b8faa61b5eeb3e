/**
 * The used part of the syntax trees of @traqula/parser-sparql-1-2. Nodes are copied with their
 * changes, so fields that are not declared here are preserved.
 */
interface SyntaxNode {
  /** The source of the node's text; generated nodes must be serialized again. */
  readonly loc: { readonly sourceLocationType: string };
}

/** An IRI; with a prefix, its value is the part after the colon. */
export interface IriNode extends SyntaxNode {
  readonly type: "term";
  readonly subType: "namedNode";
  readonly value: string;
  readonly prefix?: string;
}

export interface VariableNode extends SyntaxNode {
  readonly type: "term";
  readonly subType: "variable";
  readonly value: string;
}

/** A literal: with a datatype, a language, or neither. */
export interface LiteralNode extends SyntaxNode {
  readonly type: "term";
  readonly subType: "literal";
  readonly value: string;
  readonly langOrIri: IriNode | string | undefined;
}

/** A triple term. */
interface TripleNode extends SyntaxNode {
  readonly type: "term";
  readonly subType: "triple";
}

/** Terms and variables of expressions. */
export type TermNode = IriNode | VariableNode | LiteralNode | TripleNode;

/** An operator or a function that SPARQL has built in; its name in lower case. */
export interface OperationNode extends SyntaxNode {
  readonly type: "expression";
  readonly subType: "operation";
  readonly operator: string;
  readonly args: readonly ExpressionNode[];
}

/** COUNT, SUM and the like. */
export interface AggregateNode extends SyntaxNode {
  readonly type: "expression";
  readonly subType: "aggregate";
  readonly aggregation: string;
  readonly expression: readonly [ExpressionNode | WildcardNode];
}

interface WildcardNode extends SyntaxNode {
  readonly type: "wildcard";
}

export type ExpressionNode =
  | TermNode
  | OperationNode
  | AggregateNode
  | (SyntaxNode & {
      readonly type: "expression";
      readonly subType: "patternOperation";
      readonly args: PatternNode;
    })
  | (SyntaxNode & {
      readonly type: "expression";
      readonly subType: "functionCall";
      readonly args: readonly ExpressionNode[];
    });

/** An expression and the variable that it is given to. */
export interface BindNode extends SyntaxNode {
  readonly type: "pattern";
  readonly subType: "bind";
  readonly expression: ExpressionNode;
  readonly variable: VariableNode;
}

/** VALUES. */
export interface ValuesNode extends SyntaxNode {
  readonly type: "pattern";
  readonly subType: "values";
}

/** A graph pattern, or a subquery. */
export type PatternNode =
  | BindNode
  | ValuesNode
  | SelectQuery
  | (SyntaxNode & { readonly type: "pattern"; readonly subType: "bgp" })
  | (SyntaxNode & {
      readonly type: "pattern";
      readonly subType: "filter";
      readonly expression: ExpressionNode;
    })
  | (SyntaxNode & {
      readonly type: "pattern";
      readonly subType: "group" | "union" | "optional" | "minus" | "graph" | "service";
      readonly patterns: readonly PatternNode[];
    });

/** A key of GROUP BY: an expression, or one with a name. */
export type GroupKey =
  | ExpressionNode
  | { readonly variable: VariableNode; readonly value: ExpressionNode; readonly loc?: unknown };

/** GROUP BY, HAVING and ORDER BY; LIMIT and OFFSET are left as they are. */
export interface Modifiers {
  readonly group?: { readonly groupings: readonly GroupKey[] };
  readonly having?: { readonly having: readonly ExpressionNode[] };
  readonly order?: { readonly orderDefs: readonly { readonly expression: ExpressionNode }[] };
  readonly limitOffset?: object;
}

interface QueryNode extends SyntaxNode {
  readonly type: "query";
  readonly context: readonly PrefixNode[];
  readonly where?: PatternNode;
  readonly values?: ValuesNode;
  readonly solutionModifiers: Modifiers;
}

/** A prefix, or a base, which has no key. */
interface PrefixNode {
  readonly key?: string;
  readonly value: { readonly value: string };
}

/** The projection of SELECT. */
export type Projection = readonly (VariableNode | BindNode | WildcardNode)[];

/** A query for solutions. */
export interface SelectQuery extends QueryNode {
  readonly subType: "select";
  readonly variables: Projection;
  readonly distinct?: true;
}

/** A DESCRIBE query. */
export interface DescribeQuery extends QueryNode {
  readonly subType: "describe";
  readonly variables: readonly (VariableNode | IriNode | WildcardNode)[];
}

export type Query =
  | SelectQuery
  | DescribeQuery
  | (QueryNode & { readonly subType: "construct"; readonly template: object })
  | (QueryNode & { readonly subType: "ask" });

/** Nodes that were not in the query's text. */
export const MADE_UP: SyntaxNode["loc"] = { sourceLocationType: "autoGenerate" };

/** A variable of this name. */
export function variableNode(value: string): VariableNode {
  return { type: "term", subType: "variable", value, loc: MADE_UP };
}

/** A whole IRI. */
export function iriNode(value: string): IriNode {
  return { type: "term", subType: "namedNode", value, loc: MADE_UP };
}

/** An operator applied to operands. */
export function operation(operator: string, ...args: ExpressionNode[]): OperationNode {
  return { type: "expression", subType: "operation", operator, args, loc: MADE_UP };
}

/** An expression with a name. */
export function bindNode(expression: ExpressionNode, name: string): BindNode {
  const variable = variableNode(name);
  return { type: "pattern", subType: "bind", expression, variable, loc: MADE_UP };
}
