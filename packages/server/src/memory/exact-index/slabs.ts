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
  /** Where the kernel has the codes; absent: the rows have the zero vector, which needs none. */
  readonly address: number | undefined;
  readonly capacity: number;
  /** The owner; changes only while the slab is empty. */
  orgId: string;
  count: number;
  /** No row is newer. */
  newestMs: number;
  readonly ids: Uint32Array;
  readonly createdAtMs: Float64Array;
}

/** A slab with codes. */
export interface CodedSlab extends Slab {
  readonly address: number;
}

/** The slabs of one kind: with codes, or of the zero vector. */
class Kind {
  readonly all: Slab[] = [];
  readonly byOrg = new Map<string, Slab[]>();
  /** Empty slabs by capacity. */
  readonly free = new Map<number, Slab[]>();

  of(orgId: string | undefined): readonly Slab[] {
    return orgId === undefined ? this.all : (this.byOrg.get(orgId) ?? []);
  }
}

/**
 * The rows of all entries. A slab is a block of rows that belong to one organization. A search within an
 * organization reads only that organization's slabs: its time depends on the organization's size alone,
 * and it cannot find another organization's entries.
 *
 * Entries with the zero vector, which the default provider gives to all, have slabs of their own without
 * codes: their score is 0 in every search.
 *
 * A slot is the number of a row: the slab's number times `SLAB_ROWS_MAX`, plus the row within the slab. An
 * organization's rows have no gaps, because its last row moves into the place of a row that is removed.
 */
export class Slabs {
  readonly #kernel: FilterKernel;
  readonly #all: Slab[] = [];
  readonly #coded = new Kind();
  readonly #zero = new Kind();
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
    const slabs = [...this.#coded.of(orgId), ...this.#zero.of(orgId)];
    return slabs.reduce((sum, slab) => sum + slab.count, 0);
  }

  /** The slabs with codes of one organization or, without one, of all, in the order of their memory. */
  coded(orgId: string | undefined): readonly CodedSlab[] {
    return this.#coded.of(orgId).filter(isCoded);
  }

  /** The slabs whose entries have the zero vector. */
  zero(orgId: string | undefined): readonly Slab[] {
    return this.#zero.of(orgId);
  }

  /** The slot of an entry, or `undefined`. @param orgId absent: of any organization. */
  find(entryId: string, orgId?: string): number | undefined {
    const sought = this.#sought;
    writeId(entryId, sought, 0);
    const slot = this.#table.find(idHash(sought, 0), (each) =>
      sameId(this.#slabOf(each).ids, idStart(each), sought),
    );
    if (slot === undefined || orgId === undefined) return slot;
    return this.#slabOf(slot).orgId === orgId ? slot : undefined;
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
    const slab = this.#roomFor(code.scale === 0 ? this.#zero : this.#coded, entry.orgId);
    const row = slab.count;
    writeId(entry.entryId, slab.ids, row * ID_WORDS);
    slab.createdAtMs[row] = entry.createdAtMs;
    slab.newestMs = Math.max(slab.newestMs, entry.createdAtMs);
    this.#writeCode(slab, row, code);
    slab.count += 1;
    this.#table.add(slotOf(slab, row));
    this.#size += 1;
  }

  /** Removes the entry in a slot. */
  remove(slot: number): void {
    const slab = this.#slabOf(slot);
    const kind = this.#kindOf(slab);
    const own = kind.byOrg.get(slab.orgId) ?? [];
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
    if (last.count === 0) release(kind, own, last);
  }

  #kindOf(slab: Slab): Kind {
    return isCoded(slab) ? this.#coded : this.#zero;
  }

  #roomFor(kind: Kind, orgId: string): Slab {
    const own = kind.byOrg.get(orgId) ?? [];
    const last = own.at(-1);
    if (last !== undefined && last.count < last.capacity) return last;
    const slab = this.#take(kind, slabRows(own.length));
    slab.orgId = orgId;
    own.push(slab);
    kind.byOrg.set(orgId, own);
    return slab;
  }

  #take(kind: Kind, capacity: number): Slab {
    const free = kind.free.get(capacity)?.pop();
    if (free !== undefined) return free;
    const slab: Slab = {
      number: this.#all.length,
      address: kind === this.#coded ? this.#kernel.allocate(capacity) : undefined,
      capacity,
      orgId: "",
      count: 0,
      newestMs: -Infinity,
      ids: new Uint32Array(capacity * ID_WORDS),
      createdAtMs: new Float64Array(capacity),
    };
    this.#all.push(slab);
    kind.all.push(slab);
    return slab;
  }

  #writeCode(slab: Slab, row: number, code: VectorCode): void {
    if (!isCoded(slab)) return;
    const columns = this.#kernel.columns(slab.address, slab.capacity);
    columns.codes.set(code.codes, row * this.#kernel.stride);
    columns.scales[row] = code.scale;
    columns.residuals[row] = code.residual;
  }

  #move(from: Slab, fromRow: number, to: Slab, toRow: number): void {
    if (isCoded(from)) this.#writeCode(to, toRow, this.#codeOf(from, fromRow));
    to.ids.set(from.ids.subarray(fromRow * ID_WORDS, (fromRow + 1) * ID_WORDS), toRow * ID_WORDS);
    to.createdAtMs[toRow] = from.createdAtMs[fromRow] ?? 0;
    to.newestMs = Math.max(to.newestMs, from.newestMs);
  }

  #codeOf(slab: CodedSlab, row: number): VectorCode {
    const { stride } = this.#kernel;
    const { codes, scales, residuals } = this.#kernel.columns(slab.address, slab.capacity);
    return {
      codes: codes.subarray(row * stride, (row + 1) * stride),
      scale: scales[row] ?? 0,
      residual: residuals[row] ?? 0,
    };
  }

  #slabOf(slot: number): Slab {
    const slab = this.#all[Math.floor(slot / SLAB_ROWS_MAX)];
    assert(slab !== undefined, "a slot lies in a slab");
    return slab;
  }
}

function isCoded(slab: Slab): slab is CodedSlab {
  return slab.address !== undefined;
}

function release(kind: Kind, own: Slab[], slab: Slab): void {
  own.pop();
  slab.newestMs = -Infinity;
  if (own.length === 0) kind.byOrg.delete(slab.orgId);
  const free = kind.free.get(slab.capacity) ?? [];
  free.push(slab);
  kind.free.set(slab.capacity, free);
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
