/** Limits of reads of the SQLite store that return more than one row by its key. */

/** Threads that read the store. One organization occupies all but one of them. */
export const STORE_READS_MAX: number = 2;
/** Reads of one organization that wait for a thread. */
export const STORE_READS_WAITING_MAX: number = 1000;
/** How long a read waits for a thread, in ms. */
export const STORE_READ_WAIT_MS: number = 10_000;
/** Time limit of one read, in ms, without its wait. */
export const STORE_READ_MS: number = 5_000;
/** Bytes of the texts and blobs in the result of one read. */
export const STORE_READ_BYTES_MAX: number = 32 * 1024 * 1024;
/** Memory limit of the objects of a thread that reads the store, in MiB. */
export const STORE_READ_MEBIBYTES: number = 256;
