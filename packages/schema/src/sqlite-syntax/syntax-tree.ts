import { type AstNode, VisitorKeys } from "sqlite3-parser";

/** The direct children of a node, in the order of the text. */
export function childrenOf(node: AstNode): AstNode[] {
  // The parser's table lists, by node type, exactly the properties that hold nodes.
  const keys = (VisitorKeys as Readonly<Record<string, readonly string[]>>)[node.type] ?? [];
  const properties = node as unknown as Readonly<Record<string, AstNode | readonly AstNode[]>>;
  return keys.flatMap((key) => properties[key] ?? []);
}
