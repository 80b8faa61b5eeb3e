import { useEffect } from "react";
import { texts } from "../texts.js";

/** Names the page in the title of the tab. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${texts.product}`;
  }, [title]);
}
