/**
 * A queue is counted to here. An operator needs to see that a queue grows, and counting all of a
 * queue that has grown would read as many rows as there are.
 */
export const QUEUE_COUNT_MAX = 10_000;
