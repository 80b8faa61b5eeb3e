/** Digits in groups of three, parted by spaces: the same for every locale. */
export function groupedDigits(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, " ");
}
