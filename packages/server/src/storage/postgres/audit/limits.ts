/**
 * Changes of plans, and other facts, that one transaction adds to the audit log in PostgreSQL. Each one writes the
 * incomplete tile of the tree once more, up to 8 kB, and records compress better beside others.
 */
export const PACKED_FACTS_MAX = 250;

/**
 * Bytes of the records that one block has of all organizations, except a larger record, which is alone in its
 * block. Who lists records unpacks blocks as a whole, each within a turn of the event loop.
 */
export const AUDIT_BLOCK_BYTES_MAX: number = 512 * 1024;
