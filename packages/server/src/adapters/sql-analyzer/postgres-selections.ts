import type { TreeNode, TreeValue } from "./postgres-grammar.js";
import { nameOf, namesIn } from "./postgres-names.js";

/**
 * The notation `value.name`. PostgreSQL reads the name as a column and, when there is no such
 * column, as a function call with the value as its argument: `('/etc/passwd').pg_read_file`.
 */
export interface Selection {
  readonly name: string;
  /**
   * `row`: the value is a row of a table or query, which few functions accept. `value`: any value.
   */
  readonly from: "row" | "value";
  /**
   * The tables of the row, when it can only come from tables. The name is then harmless if all of
   * them have such a column.
   */
  readonly tables?: readonly (readonly string[])[];
}

/** A name that FROM introduces. */
interface Source {
  readonly from: Selection["from"];
  /** The table, when the name stands for a table whose columns are not renamed. */
  readonly table?: readonly string[];
  /** Columns that the source is known to have. */
  readonly columns?: readonly string[];
}

interface Selected {
  readonly name: string;
  /** The text before the dot, when it is a plain name. */
  readonly source?: string;
  /** The table itself, when the text before the dot includes a schema. */
  readonly table?: readonly string[];
}

/**
 * Collects every `value.name` of a statement, and the sources that the names before the dots may
 * stand for. Scopes are not distinguished: a name that is both a table and a function counts as any
 * value.
 */
export class Selections {
  readonly #sources = new Map<string, Source[]>();
  readonly #selected: Selected[] = [];
  #hasNamelessSource = false;

  /** @param isCte whether a table's name refers to a common table expression. */
  visit(node: TreeNode, type: string, isCte: boolean): void {
    this.#visitSource(node, type, isCte);
    if (type === "ColumnRef") this.#visitColumn(namesIn(node["fields"]), node["fields"]);
    if (type === "A_Indirection") {
      for (const name of namesIn(node["indirection"])) this.#selected.push({ name });
    }
  }

  /** Without duplicates, and without selections that can only be columns. */
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
    // The node of RETURNING WITH (OLD AS …).
    if (type === "ReturningOption") this.#add(node["value"] as string, { from: "row" });
  }

  /**
   * A function without an alias has its own name as alias. Other items without an alias get names
   * that the text does not show.
   */
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

/**
 * Sources of one name whose columns are tracked separately. The limit keeps the result from growing
 * with the square of the text's length.
 */
const SOURCES_MAX = 16;

/** Implicit names for rows of the changed table, such as EXCLUDED. */
const ROWS_OF_TARGET: ReadonlySet<string> = new Set(["excluded", "new", "old"]);

function columnNames(list: TreeValue | undefined): readonly string[] {
  return ((list ?? []) as readonly TreeNode[]).flatMap((item) => {
    const name = (item["ColumnDef"] as TreeNode | undefined)?.["colname"];
    return typeof name === "string" ? name : [];
  });
}
