/** Digits in groups of three, separated by spaces, in every locale. */
export function groupedDigits(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, " ");
}
