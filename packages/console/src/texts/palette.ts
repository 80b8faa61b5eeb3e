/** The texts of the command palette. */
export const paletteTexts = {
  placeholder: "Go to a page, open a plan, or run a command…",
  none: "Nothing matches. Paste a plan's id to open it.",
  pages: "Pages",
  preferences: "Preferences",
  openPlan: (id: string) => `Open plan ${id}`,
  systemTheme: "Theme: as the system",
  lightTheme: "Theme: light",
  darkTheme: "Theme: dark",
  absoluteTimes: "Show absolute times",
  relativeTimes: "Show relative times",
} as const;
