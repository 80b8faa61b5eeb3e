import { type AstNode, childrenOf, type Stmt } from "@steward/schema/sqlite-syntax";
import { isForbiddenFunction } from "../sqlite-functions.js";

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
