import { useCallback, useLayoutEffect, useRef, useState, type RefObject } from "react";

/** Rows beyond the visible ones that are drawn too, so that scrolling shows no gaps. */
const OVERSCAN = 12;
/** Rows that are drawn before the height of the list is known. */
const FIRST_ROWS = 30;

/** The rows of a long list that are in the document. */
export interface RowWindow {
  /** The element that scrolls. */
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** Height of all rows, in pixels. */
  readonly height: number;
  /** Indexes of the rows to draw. */
  readonly rows: readonly number[];
  /** Distance of a row from the top of the list, in pixels. */
  readonly topOf: (index: number) => number;
  readonly scrollTo: (index: number) => void;
}

/** Draws only the rows that can be seen. All rows have the same height, in pixels. */
export function useRowWindow(count: number, rowHeight: number): RowWindow {
  const scroller = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ from: 0, to: FIRST_ROWS });
  const isEmpty = count === 0;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (isEmpty || element === null) return undefined;
    const measure = () => {
      const first = Math.floor(element.scrollTop / rowHeight);
      const from = Math.max(0, first - OVERSCAN);
      const to = first + Math.ceil(element.clientHeight / rowHeight) + OVERSCAN;
      setRange((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", measure);
    };
    // The element appears with the first row.
  }, [rowHeight, isEmpty]);
  const from = Math.min(range.from, Math.max(0, count - 1));
  const to = Math.min(range.to, count);
  const scrollTo = useCallback(
    (index: number) => {
      const element = scroller.current;
      if (element === null) return;
      const top = index * rowHeight;
      // A row is brought into view with one more on either side, past the header that stays on top.
      if (top < element.scrollTop + rowHeight) element.scrollTop = top - rowHeight;
      const bottom = top + 2 * rowHeight;
      if (bottom > element.scrollTop + element.clientHeight)
        element.scrollTop = bottom + rowHeight - element.clientHeight;
    },
    [rowHeight],
  );
  return {
    scroller,
    height: count * rowHeight,
    rows: Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index),
    topOf: (index) => index * rowHeight,
    scrollTo,
  };
}
