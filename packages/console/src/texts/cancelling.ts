/** The texts of cancelling plans, which no page needs before somebody asks for it. */
export const cancellingTexts = {
  cancel: (count: number) => (count === 1 ? "Cancel 1 plan" : `Cancel ${count} plans`),
  title: (count: number) => (count === 1 ? "Cancel this plan?" : `Cancel these ${count} plans?`),
  hint: "Running steps are stopped and their changes rolled back. Completed steps keep their effects. A cancelled plan cannot be resumed.",
  done: (count: number) => (count === 1 ? "1 plan was cancelled" : `${count} plans were cancelled`),
  failed: (count: number) => `${count} could not be cancelled, because they had ended`,
  keep: "Keep running",
} as const;
