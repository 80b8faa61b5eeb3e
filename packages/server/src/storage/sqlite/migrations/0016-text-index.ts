/**
 * Deleting an entry marks its words as deleted in the full-text index; a purge removes them later
 * (text-index-purge.ts). Removing them at once took fifty times longer, and writers waited.
 */
export const deleteWordsLater: string = `
INSERT INTO memory_text (memory_text, rank) VALUES ('secure-delete', 0);
`;
