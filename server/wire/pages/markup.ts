import { escapeHtml } from '#server/platform/mail/escape-html.ts'

/** Trusted HTML. Everything else in a page is text and gets escaped. */
export interface Html {
  readonly html: string
}

/** Values allowed in trusted HTML. */
export type Part = Html | string | number | null | readonly Part[]

function renderPart(part: Part): string {
  if (part === null) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part))
  return 'html' in part ? part.html : part.map(renderPart).join('')
}

/**
 * Tagged template for HTML; values are escaped unless they are HTML themselves. Not named `html`, because formatters
 * reformat such templates.
 */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: strings.map((text, at) => text + (at < parts.length ? renderPart(parts[at] ?? null) : '')).join('') }
}
