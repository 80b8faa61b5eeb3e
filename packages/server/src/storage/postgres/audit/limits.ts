/**
 * Changes of plans, and other facts, that one transaction adds to the audit log in PostgreSQL. Each one writes the
 * incomplete tile of the tree once more, up to 8 kB, and records compress better beside others.
 */
export const PACKED_FACTS_MAX = 250;
