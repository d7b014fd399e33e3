/**
 * Init script: the steps of a tour wait for their targets as long as it takes. The app shows a step without its target after
 * five seconds (`web/tours/tour-run.ts`), which a page on a slow machine may need.
 */
export const untilTarget = `{
  const { setTimeout } = window
  window.setTimeout = (work, ms, ...values) => setTimeout(work, ms === 5000 ? 2 ** 30 : ms, ...values)
}`
