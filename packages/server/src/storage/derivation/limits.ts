/** Memory limit of the objects of the thread that derives rows from committed changes, in MiB. */
export const DERIVATION_MEBIBYTES: number = 256;

/** Blocks of audit records that an erasure reads at once. */
export const ERASABLE_BLOCKS_AT_ONCE: number = 8;
