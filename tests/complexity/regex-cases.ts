/** Every regular expression of the product against hostile inputs; run by `growth-worker.ts`. */
import type { GrowthCase } from './growth-case.ts'
import { repeated } from './growth-case.ts'
import { hostileInputs } from './regex-inputs.ts'
import { sourceRegexes } from './source-regexes.ts'

/** The cases of one expression: replacing also shows work that is repeated from match to match. */
export function casesOf(where: string, source: string, flags: string): GrowthCase[] {
  const everywhere = new RegExp(source, flags.includes('g') ? flags : `${flags}g`)
  return hostileInputs(source, flags).map(({ prefix, pump, suffix }) => ({
    name: `${where} /${source}/${flags} on ${JSON.stringify(`${prefix}(${pump})…${suffix}`)}`,
    input: repeated(prefix, pump, suffix),
    run: (input) => input.replace(everywhere, ''),
  }))
}

/** All of them. */
export const cases: readonly GrowthCase[] = (await sourceRegexes()).regexes.flatMap(({ where, source, flags }) =>
  casesOf(where, source, flags),
)
