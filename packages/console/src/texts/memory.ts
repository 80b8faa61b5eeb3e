/** The texts of the page of memory, which only that page loads. */
export const memoryTexts = {
  title: "Memory",
  subtitle: (entries: number, model: string) =>
    `${entries.toLocaleString("en-US")} entries, compared by ${model === "" ? "a model without a name" : model}`,
  search: "Search the memory",
  searchHint: "What was done about …, in your own words",
  find: "Search",
  tool: "Tool",
  session: "Session",
  ranking: "Ranking",
  scores: "Scores",
  explain: "Explain ranks",
  found: (count: number, ms: number) =>
    `${count === 1 ? "1 entry" : `${count} entries`} in ${Math.round(ms)} ms, the nearest first`,
  none: "Nothing is near this",
  noneHint: "Try other words, or remove a filter.",
  empty: "Nothing is remembered yet",
  emptyHint: "Each step that an agent runs and each note that it makes becomes an entry.",
  score: (score: string) => `Score ${score}`,
  ranks: (rank: number, vector: number | undefined, text: number | undefined) =>
    [
      `Rank ${rank}`,
      ...(vector === undefined ? [] : [`${vector} by meaning`]),
      ...(text === undefined ? [] : [`${text} by words`]),
    ].join(", "),
  noSession: "No session",
  /** What an entry is from: a call of a tool, which a plan may leave unnamed, or a note. */
  source: (tool: string | undefined) =>
    tool === "" ? "Call without a tool name" : (tool ?? "Note"),
  open: "Show the entry",
  content: "Content, as it was stored",
  remove: "Delete the entry",
  removeTitle: "Delete this entry?",
  removeHint: "No search finds it any more. This cannot be undone.",
  removeForGood: "Delete for good",
  more: "Show older entries",
  retention: "Retention",
  forever: "Entries are kept for good.",
  keptFor: (days: number) => `Entries are deleted after ${days === 1 ? "a day" : `${days} days`}.`,
  days: "Days until an entry is deleted",
  daysHint: "Leave it empty to keep entries for good.",
  save: "Save",
} as const;
