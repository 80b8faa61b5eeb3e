// Counts what dependency-cruiser cannot: the source files of a folder and the methods of a port. It prints one
// sentence for each folder or port that is too large, and exits with 1.
//
// node scripts/check-rooms.js [ROOT]
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";

/** Limit of source files in a folder, of which a reader can still keep an overview. */
const FOLDER_FILES_MAX = 20;
/** Limit of methods of a port: a port serves one kind of user. */
const PORT_METHODS_MAX = 6;

const root = process.argv[2] ?? process.cwd();
const EMPTY = { own: [], bases: [] };
const packages = childrenOf(join(root, "packages")).map(({ name }) => name);
const folders = [...packages.map((name) => `packages/${name}/src`), "test", "bench"];
const files = folders.flatMap((folder) => sourcesIn(join(root, folder)));

const problems = [...largeFolders(files), ...largePorts(files.filter(isProduct))];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Source files other than tests, what only tests use, declarations and generated code. */
function sourcesIn(folder) {
  return childrenOf(folder).flatMap((child) => {
    const path = join(folder, child.name);
    if (child.isDirectory()) {
      return /^(dist|gen|node_modules|testing)$/.test(child.name) ? [] : sourcesIn(path);
    }
    return /\.tsx?$/.test(child.name) && !/\.(test|d)\.ts$/.test(child.name)
      ? [relative(root, path)]
      : [];
  });
}

function childrenOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The methods of the client follow the operations of the API, whose number is given. */
function isProduct(file) {
  return /^packages\/(?!client\/|protocol\/|test-)/.test(file);
}

function largeFolders(paths) {
  const counts = new Map();
  for (const path of paths) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > FOLDER_FILES_MAX)
    .map(
      ([folder, count]) =>
        `${folder} has ${count} source files, more than ${FOLDER_FILES_MAX}: move the files of one concern into a folder of their own.`,
    );
}

function largePorts(paths) {
  const interfaces = paths.flatMap(interfacesOf);
  const byName = new Map(interfaces.map((each) => [each.name, each]));
  const methodsOf = ({ own, bases }) => {
    const inherited = bases.flatMap((name) => [...methodsOf(byName.get(name) ?? EMPTY)]);
    return new Set([...inherited, ...own]);
  };
  return interfaces
    .map(({ name, path, ...members }) => ({ name, path, count: methodsOf(members).size }))
    .filter(({ count }) => count > PORT_METHODS_MAX)
    .map(
      ({ name, path, count }) =>
        `${name} in ${path} has ${count} methods, more than ${PORT_METHODS_MAX}: divide the port by who uses it, so that each user takes only what it needs.`,
    );
}

/** The interfaces of a file, with the methods that they declare and the interfaces that they extend. */
function interfacesOf(path) {
  const text = readFileSync(join(root, path), "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  return source.statements.filter(ts.isInterfaceDeclaration).map((node) => ({
    name: node.name.text,
    path,
    own: node.members.filter(isMethod).map(({ name }) => name.getText(source)),
    bases: (node.heritageClauses ?? []).flatMap(({ types }) =>
      types.map(({ expression }) => expression.getText(source)),
    ),
  }));
}

function isMethod(member) {
  return (
    ts.isMethodSignature(member) ||
    (ts.isPropertySignature(member) &&
      member.type !== undefined &&
      ts.isFunctionTypeNode(member.type))
  );
}
