import { keysOf } from '#shared/is-one-of.ts'
import { terms, tTerms } from './messages.ts'

const headings: readonly string[] = ['account', 'sites', 'data', 'leaving', 'warranty'] satisfies (keyof typeof terms)[]

/** Default terms, if the operator configured none. Blocks are separated by empty lines; `# ` marks headings. */
export function builtInTerms(product: string, host: string): string {
  return keysOf(terms)
    .map((key) => `${headings.includes(key) ? '# ' : ''}${tTerms(key, { product, host })}`)
    .join('\n\n')
}
