import { assert } from "@steward/kernel/assert.js";
import { ID_WORDS, idHash, idText, writeId } from "./entry-id.js";
import { SLAB_ROWS_MAX, type FilterKernel } from "./filter-kernel.js";
import { SlotTable } from "./slot-table.js";
import type { VectorCode } from "./vector-code.js";
import type { IndexEntry } from "../vector-index.js";

/** Rows of an organization's first slab: a small organization takes little memory. */
const SLAB_ROWS_MIN = 16;

/** Rows of entries that belong to one organization; the first `count` are in use. */
export interface Slab {
  readonly number: number;
  readonly address: number;
  readonly capacity: number;
  /** The owner; changes only while the slab is empty. */
  orgId: string;
  count: number;
  readonly ids: Uint32Array;
  readonly createdAtMs: Float64Array;
}

/**
 * The rows of all entries. A slab is a block of rows that belong to one organization. A search within an
 * organization reads only that organization's slabs: its time depends on the organization's size alone,
 * and it cannot find another organization's entries.
 *
 * A slot is the number of a row: the slab's number times `SLAB_ROWS_MAX`, plus the row within the slab. An
 * organization's rows have no gaps, because its last row moves into the place of a row that is removed.
 */
export class Slabs {
  readonly #kernel: FilterKernel;
  readonly #all: Slab[] = [];
  readonly #byOrg = new Map<string, Slab[]>();
  /** Empty slabs by capacity. */
  readonly #free = new Map<number, Slab[]>();
  readonly #table = new SlotTable((slot) => idHash(this.#slabOf(slot).ids, idStart(slot)));
  /** The id of the present lookup. */
  readonly #sought = new Uint32Array(ID_WORDS);
  #size = 0;

  constructor(kernel: FilterKernel) {
    this.#kernel = kernel;
  }

  /** Entries of one organization or, without one, of all. */
  size(orgId?: string): number {
    if (orgId === undefined) return this.#size;
    return this.slabs(orgId).reduce((sum, slab) => sum + slab.count, 0);
  }

  /** The slabs of one organization or, without one, of all, in the order of their memory. */
  slabs(orgId: string | undefined): readonly Slab[] {
    return orgId === undefined ? this.#all : (this.#byOrg.get(orgId) ?? []);
  }

  /** The slot of an entry, or `undefined`. */
  find(entryId: string): number | undefined {
    const sought = this.#sought;
    writeId(entryId, sought, 0);
    return this.#table.find(idHash(sought, 0), (slot) =>
      sameId(this.#slabOf(slot).ids, idStart(slot), sought),
    );
  }

  /** The entry in a slot. */
  entry(slot: number): { readonly entryId: string; readonly createdAtMs: number } {
    const { ids, createdAtMs } = this.#slabOf(slot);
    return {
      entryId: idText(ids, idStart(slot)),
      createdAtMs: createdAtMs[rowOf(slot)] ?? 0,
    };
  }

  /** Every slot is below this number. */
  slotCount(): number {
    return this.#all.length * SLAB_ROWS_MAX;
  }

  /** Adds an entry that is not in the index. */
  add(entry: Omit<IndexEntry, "code">, code: VectorCode): void {
    const slab = this.#roomFor(entry.orgId);
    const row = slab.count;
    writeId(entry.entryId, slab.ids, row * ID_WORDS);
    slab.createdAtMs[row] = entry.createdAtMs;
    this.#writeCode(slab, row, code);
    slab.count += 1;
    this.#table.add(slotOf(slab, row));
    this.#size += 1;
  }

  /** Removes the entry in a slot. */
  remove(slot: number): void {
    const slab = this.#slabOf(slot);
    const own = this.#byOrg.get(slab.orgId) ?? [];
    const last = own.at(-1);
    assert(last !== undefined && last.count > 0, "an organization's last slab is never empty");
    const lastRow = last.count - 1;
    this.#table.remove(slot);
    if (slot !== slotOf(last, lastRow)) {
      this.#table.remove(slotOf(last, lastRow));
      this.#move(last, lastRow, slab, rowOf(slot));
      this.#table.add(slot);
    }
    last.count -= 1;
    this.#size -= 1;
    if (last.count === 0) this.#release(own, last);
  }

  #roomFor(orgId: string): Slab {
    const own = this.#byOrg.get(orgId) ?? [];
    const last = own.at(-1);
    if (last !== undefined && last.count < last.capacity) return last;
    const slab = this.#take(slabRows(own.length));
    slab.orgId = orgId;
    own.push(slab);
    this.#byOrg.set(orgId, own);
    return slab;
  }

  #take(capacity: number): Slab {
    const free = this.#free.get(capacity)?.pop();
    if (free !== undefined) return free;
    const slab: Slab = {
      number: this.#all.length,
      address: this.#kernel.allocate(capacity),
      capacity,
      orgId: "",
      count: 0,
      ids: new Uint32Array(capacity * ID_WORDS),
      createdAtMs: new Float64Array(capacity),
    };
    this.#all.push(slab);
    return slab;
  }

  #release(own: Slab[], slab: Slab): void {
    own.pop();
    if (own.length === 0) this.#byOrg.delete(slab.orgId);
    const free = this.#free.get(slab.capacity) ?? [];
    free.push(slab);
    this.#free.set(slab.capacity, free);
  }

  #writeCode(slab: Slab, row: number, code: VectorCode): void {
    const columns = this.#kernel.columns(slab.address, slab.capacity);
    columns.codes.set(code.codes, row * this.#kernel.stride);
    columns.scales[row] = code.scale;
    columns.residuals[row] = code.residual;
  }

  #move(from: Slab, fromRow: number, to: Slab, toRow: number): void {
    const { stride } = this.#kernel;
    const source = this.#kernel.columns(from.address, from.capacity);
    this.#writeCode(to, toRow, {
      codes: source.codes.subarray(fromRow * stride, (fromRow + 1) * stride),
      scale: source.scales[fromRow] ?? 0,
      residual: source.residuals[fromRow] ?? 0,
    });
    to.ids.set(from.ids.subarray(fromRow * ID_WORDS, (fromRow + 1) * ID_WORDS), toRow * ID_WORDS);
    to.createdAtMs[toRow] = from.createdAtMs[fromRow] ?? 0;
  }

  #slabOf(slot: number): Slab {
    const slab = this.#all[Math.floor(slot / SLAB_ROWS_MAX)];
    assert(slab !== undefined, "a slot lies in a slab");
    return slab;
  }
}

/** The slot of a row of a slab. */
export function slotOf(slab: Slab, row: number): number {
  return slab.number * SLAB_ROWS_MAX + row;
}

/** Rows of an organization's slab by its position: 16, 16, 32, 64, 128, then 256 each. */
function slabRows(position: number): number {
  return Math.min(SLAB_ROWS_MAX, SLAB_ROWS_MIN * 2 ** Math.max(0, position - 1));
}

function rowOf(slot: number): number {
  return slot % SLAB_ROWS_MAX;
}

/** The start of a row's id in its slab's words. */
function idStart(slot: number): number {
  return rowOf(slot) * ID_WORDS;
}

function sameId(ids: Uint32Array, start: number, words: Uint32Array): boolean {
  for (let word = 0; word < ID_WORDS; word += 1) {
    if (ids[start + word] !== words[word]) return false;
  }
  return true;
}
