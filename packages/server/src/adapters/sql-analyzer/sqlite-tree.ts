import { VisitorKeys, type AstNode, type Stmt } from "sqlite3-parser";
import { isForbiddenFunction } from "../sqlite-functions.js";

/** The direct children of a node, in the order of the text. */
export function childrenOf(node: AstNode): AstNode[] {
  // The parser's table lists, by node type, exactly the properties that hold nodes.
  const keys = (VisitorKeys as Readonly<Record<string, readonly string[]>>)[node.type] ?? [];
  const properties = node as unknown as Readonly<Record<string, AstNode | readonly AstNode[]>>;
  return keys.flatMap((key) => properties[key] ?? []);
}

/** The first called function with effects outside the database; lower case. */
export function forbiddenCall(statement: Stmt): string | undefined {
  const pending: AstNode[] = [statement];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === "FunctionCallExpr" || node.type === "FunctionCallStarExpr") {
      const name = node.name.name.toLowerCase();
      if (isForbiddenFunction(name)) return name;
    }
    pending.push(...childrenOf(node).reverse());
  }
  return undefined;
}
