/** Expressions whose work is known to grow too fast, and some that only look like it; run by `growth-worker.ts`. */
import type { GrowthCase } from './growth-case.ts'
import { casesOf } from './regex-cases.ts'

const expressions: readonly [name: string, expression: RegExp][] = [
  ['trailing', /\/+$/],
  ['middle', /(?:^|[\s-])(?:[a-z]+-)*key=/],
  ['cubic', /^sum\(\s*([^()]*?)\s*\)$/],
  ['exponential', /^(?:a+)+$/],
  ['alternatives', /^(?:\w|\d)*!/],
  // These two are linear as long as only one match is looked for.
  ['lookahead', /<b(?![^>]*c=)/],
  ['restarting', /a[^b]*b|a/],
  ['plain', /^[a-z0-9]+(?:-[a-z0-9]+)*$/],
  ['anchored', /(?<!\/)\/+$/],
  ['bounded', /a.{0,20}b/],
]

/** Each with all of its inputs one after the other: whether it is found must not depend on which of them finds it. */
export const cases: readonly GrowthCase[] = expressions.map(([name, { source, flags }]) => {
  const inputs = casesOf(name, source, flags)
  return {
    name,
    input: (size) => String(size),
    run: (size) => {
      for (const one of inputs) one.run(one.input(Number(size)))
    },
  }
})
