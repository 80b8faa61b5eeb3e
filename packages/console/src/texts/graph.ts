/** The texts of all graphs. */
export const graphTexts = {
  failed: "The graph could not be laid out. The table shows the same facts.",
} as const;
