import { localValue } from "./local-value.js";

/** Preferences of display, stored in this browser. */
interface Preferences {
  readonly theme: "system" | "light" | "dark";
  readonly times: "relative" | "absolute";
}

const preferences = localValue<Preferences>("preferences", (kept) => {
  const { theme, times } = (kept ?? {}) as Partial<Preferences>;
  return {
    theme: theme === "light" || theme === "dark" ? theme : "system",
    times: times === "absolute" ? "absolute" : "relative",
  };
});

export function usePreferences(): Preferences {
  return preferences.use();
}

export function changePreferences(changes: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...changes });
  applyTheme();
}

/** Puts the theme on the page, now and whenever the system's changes. */
export function followTheme(): void {
  applyTheme();
  systemIsDark.addEventListener("change", applyTheme);
}

const systemIsDark = window.matchMedia("(prefers-color-scheme: dark)");

function applyTheme(): void {
  const { theme } = preferences.get();
  const dark = theme === "dark" || (theme === "system" && systemIsDark.matches);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
}
