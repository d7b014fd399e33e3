import { escapeHtml } from '#server/platform/escape-html.ts'

/** A value as JSON that may stand inside a script element. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Text that may stand between double quotes inside a script element. */
export function scriptText(text: string): string {
  return scriptJson(text).slice(1, -1)
}

/** What a plain page says. */
export interface PlainPage {
  title: string
  /** Paragraphs. */
  text: readonly string[]
  link?: { href: string; label: string }
  productName: string
  nonce: string
}

/** A small page that needs nothing but itself: errors and help. Light and dark. */
export function plainPage(page: PlainPage): string {
  const title = escapeHtml(page.title)
  const paragraphs = page.text.map((one) => `<p>${escapeHtml(one)}</p>`).join('\n')
  const link = page.link ? `<p><a href="${escapeHtml(page.link.href)}">${escapeHtml(page.link.label)}</a></p>` : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · ${escapeHtml(page.productName)}</title>
<style nonce="${escapeHtml(page.nonce)}">
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100dvh; display: grid; place-items: center; font: 16px/1.5 system-ui, sans-serif;
  color: light-dark(#1b1d21, #e8eaed); background: light-dark(#fafafa, #111316); }
main { max-width: 34rem; padding: 2rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .75rem; }
p { margin: 0 0 .75rem; color: light-dark(#4a4f57, #aab0b8); }
a { color: light-dark(#1d4ed8, #8ab4f8); }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
${paragraphs}
${link}
</main>
</body>
</html>
`
}
