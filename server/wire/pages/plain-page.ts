import { markup } from './markup.ts'
import { framedPage } from './page-frame.ts'

/** Content of a plain page. */
export interface PlainPage {
  title: string
  /** Paragraphs. */
  text: readonly string[]
  link?: { href: string; label: string }
  productName: string
  nonce: string
}

const style = `
body { min-height: 100dvh; display: grid; place-items: center; }
main { max-width: 34rem; padding: 2rem; }
p { color: var(--soft); }
`

/** A small page with a short text, for errors. */
export function plainPage({ title, text, link, productName, nonce }: PlainPage): string {
  const body = markup`<main>
<h1>${title}</h1>
${text.map((one) => markup`<p>${one}</p>`)}
${link ? markup`<p><a href="${link.href}">${link.label}</a></p>` : null}
</main>`
  return framedPage({ title, productName, nonce, style, body })
}
