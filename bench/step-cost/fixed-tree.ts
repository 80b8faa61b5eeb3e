import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** Is there once a tree has been built to its end. */
const BUILT = "built";

/**
 * Checks a commit out beside this tree and builds it, unless that was done before.
 * @returns the root of its checkout.
 */
export function fixedTree(revision: string): string {
  const commit = git("rev-parse", "--verify", `${revision}^{commit}`);
  const tree = join(ROOT, "node_modules/.cache/step-cost", commit);
  if (existsSync(join(tree, "node_modules", BUILT))) return tree;
  process.stdout.write(`building ${commit.slice(0, 8)} in ${tree}\n`);
  if (!existsSync(tree)) git("worktree", "add", "--detach", "--force", tree, commit);
  for (const args of [["ci"], ["run", "build"]]) {
    execFileSync("npm", args, { cwd: tree, stdio: ["ignore", "ignore", "inherit"] });
  }
  writeFileSync(join(tree, "node_modules", BUILT), commit);
  return tree;
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
}
