/** Whether everything of generated families is run (`npm run test:long`), or a sample. */
export const isLongRun = process.env['EASYDASH_TEST_LONG'] === '1'

/** The first ones of a family of cases that each start a real site several times; all of them in the long run. */
export function sampleOf<T>(cases: readonly T[], count = 2): readonly T[] {
  return isLongRun ? cases : cases.slice(0, count)
}
