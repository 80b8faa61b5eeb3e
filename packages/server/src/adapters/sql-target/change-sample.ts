import type { RowChange, StatementPreview } from "../../plans/ports.js";
import { PREVIEW_LENGTH_MAX, PREVIEW_ROWS_MAX, PREVIEW_VALUE_LENGTH_MAX } from "../limits.js";

/** Collects the first changed rows of a previewed write, within the limits of a preview. */
export class ChangeSample {
  readonly #changes: RowChange[] = [];
  #length = 0;
  #isCut = false;

  /** Whether no further change is kept. */
  get isFull(): boolean {
    return this.#isCut;
  }

  add(change: RowChange): void {
    if (this.#isCut) return;
    const length = (change.before?.length ?? 0) + (change.after?.length ?? 0);
    if (this.#changes.length === PREVIEW_ROWS_MAX || this.#length + length > PREVIEW_LENGTH_MAX) {
      this.#isCut = true;
      return;
    }
    this.#changes.push(change);
    this.#length += length;
  }

  finish(): Pick<StatementPreview, "changes" | "isCut"> {
    return { changes: this.#changes, isCut: this.#isCut };
  }
}

/**
 * A row as a JSON object, with long values cut.
 * @param values JSON of the values, one for each column.
 */
export function rowObject(columns: readonly string[], values: readonly string[]): string {
  const members = columns.map((name, index) => {
    return `${JSON.stringify(name)}:${shortened(values[index] ?? "null")}`;
  });
  return `{${members.join(",")}}`;
}

function shortened(json: string): string {
  if (json.length <= PREVIEW_VALUE_LENGTH_MAX) return json;
  const isText = json.startsWith('"');
  const text = isText ? String(JSON.parse(json)) : json;
  return JSON.stringify(`${text.slice(0, PREVIEW_VALUE_LENGTH_MAX)}…`);
}
