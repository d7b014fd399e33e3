import { escapeHtml } from '#server/platform/mail/escape-html.ts'

/** Written HTML. Everything else that gets into a page is text and escaped. */
export interface Html {
  readonly html: string
}

/** What may stand in written HTML. */
export type Part = Html | string | number | null | readonly Part[]

function written(part: Part): string {
  if (part === null) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part))
  return 'html' in part ? part.html : part.map(written).join('')
}

/** HTML with values in it, which are escaped unless they are HTML themselves. Not named `html`: formatters take that apart. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: strings.map((text, at) => text + (at < parts.length ? written(parts[at] ?? null) : '')).join('') }
}
