import type { TreeNode, TreeValue } from "./postgres-grammar.js";
import { nameOf, namesIn } from "./postgres-names.js";

/**
 * A name behind a dot. PostgreSQL takes it for a column, and where there is none of that name, for a
 * call of the function with what stands before the dot as its argument: `('/etc/passwd').pg_read_file`.
 */
export interface Selection {
  readonly name: string;
  /** A row of a table or query, which few functions take; or anything. */
  readonly from: "row" | "value";
  /** Where the row comes from, if it can only be from tables: a column of all of them is meant. */
  readonly tables?: readonly (readonly string[])[];
}

/** What a name in FROM stands for. */
interface Source {
  readonly from: Selection["from"];
  /** The table, if it is one and its columns have their own names. */
  readonly table?: readonly string[];
  /** Columns it is known to have. */
  readonly columns?: readonly string[];
}

interface Selected {
  readonly name: string;
  /** What stands before the dot, where that is only a name. */
  readonly source?: string;
  /** Given with a schema, that is the table itself. */
  readonly table?: readonly string[];
}

/**
 * Collects what a statement selects by dots, and what the names before the dots may stand for. Which
 * of them is meant where is not told apart: a name that is both a table and a function is anything.
 */
export class Selections {
  readonly #sources = new Map<string, Source[]>();
  readonly #selected: Selected[] = [];
  #hasNamelessSource = false;

  /** @param isCte whether a table's name is one that WITH gives. */
  visit(node: TreeNode, type: string, isCte: boolean): void {
    this.#visitSource(node, type, isCte);
    if (type === "ColumnRef") this.#visitColumn(namesIn(node["fields"]), node["fields"]);
    if (type === "A_Indirection") {
      for (const name of namesIn(node["indirection"])) this.#selected.push({ name });
    }
  }

  /** Without duplicates, and without those that can only be columns. */
  list(): readonly Selection[] {
    const selections = this.#selected.flatMap((selected) => this.#resolve(selected) ?? []);
    return [...new Map(selections.map((each) => [JSON.stringify(each), each])).values()];
  }

  #visitSource(node: TreeNode, type: string, isCte: boolean): void {
    const alias = node["alias"] as TreeNode | undefined;
    const name = alias?.["aliasname"] as string | undefined;
    const columns = namesIn(alias?.["colnames"]);
    if (typeof node["relname"] === "string") {
      const isTable = !isCte && columns.length === 0;
      const source: Source = { from: "row", columns };
      this.#add(name ?? node["relname"], isTable ? { ...source, table: nameOf(node) } : source);
    } else if (type === "RangeFunction") {
      const defined = columnNames(node["coldeflist"]);
      const from = defined.length > 0 ? "row" : "value";
      if (name !== undefined) this.#add(name, { from, columns: [...columns, ...defined] });
      else this.#addNameless(node["functions"]);
    } else if (name !== undefined) {
      this.#add(name, { from: "row", columns });
    }
    const joined = node["join_using_alias"] as TreeNode | undefined;
    if (joined !== undefined) this.#add(joined["aliasname"] as string, { from: "row" });
    // RETURNING WITH (OLD AS …)
    if (type === "ReturningOption") this.#add(node["value"] as string, { from: "row" });
  }

  /** A function without an alias goes by its own name; what else stands there, by one we do not know. */
  #addNameless(functions: TreeValue | undefined): void {
    for (const item of (functions ?? []) as readonly TreeNode[]) {
      const [first] = ((item["List"] as TreeNode | undefined)?.["items"] ?? []) as TreeNode[];
      const name = namesIn((first?.["FuncCall"] as TreeNode | undefined)?.["funcname"]).at(-1);
      if (name === undefined) this.#hasNamelessSource = true;
      else this.#add(name, { from: "value" });
    }
  }

  #visitColumn(names: readonly string[], fields: TreeValue | undefined): void {
    const isStar = names.length < ((fields ?? []) as readonly TreeValue[]).length;
    const name = names.at(-1);
    if (isStar || name === undefined || names.length < 2) return;
    const before = names.slice(0, -1);
    this.#selected.push(
      before.length > 1 ? { name, table: before } : { name, source: before.join("") },
    );
  }

  #add(name: string, source: Source): void {
    const sources = this.#sources.get(name) ?? [];
    sources.push(source);
    const from = sources.some((each) => each.from === "value") ? "value" : "row";
    this.#sources.set(name, sources.length > SOURCES_MAX ? [{ from }] : sources);
  }

  #resolve({ name, source, table }: Selected): Selection | undefined {
    if (table !== undefined) return { name, from: "row", tables: [table] };
    const known = source === undefined ? undefined : this.#sources.get(source);
    const sources = known ?? (ROWS_OF_TARGET.has(source ?? "") ? [{ from: "row" }] : undefined);
    if (sources === undefined || this.#hasNamelessSource) return { name, from: "value" };
    const others = sources.filter(({ columns = [] }: Source) => !columns.includes(name));
    if (others.length === 0) return undefined;
    if (others.some(({ from }) => from === "value")) return { name, from: "value" };
    const tables = others.flatMap(({ table: of }: Source) => (of === undefined ? [] : [of]));
    return tables.length === others.length ? { name, from: "row", tables } : { name, from: "row" };
  }
}

/** Sources of one name whose columns are told apart: what is told must not grow with the text's square. */
const SOURCES_MAX = 16;

/** Names that stand for rows of the table that is changed, without being said to. */
const ROWS_OF_TARGET: ReadonlySet<string> = new Set(["excluded", "new", "old"]);

function columnNames(list: TreeValue | undefined): readonly string[] {
  return ((list ?? []) as readonly TreeNode[]).flatMap((item) => {
    const name = (item["ColumnDef"] as TreeNode | undefined)?.["colname"];
    return typeof name === "string" ? name : [];
  });
}
