import { markup, type Html } from './markup.ts'

/** A self-contained page: help, errors, the readable reference. */
export interface FramedPage {
  /** Shown before the product name in the window title. */
  title: string
  productName: string
  /** Nonce of this response; allows its style. */
  nonce: string
  /** Additional CSS. Must be a constant, never user input. */
  style: string
  body: Html
}

/** Colors and typography of all such pages; light and dark follow the system. */
const commonStyle = `
:root { color-scheme: light dark; --text: light-dark(#1b1d21, #e8eaed); --soft: light-dark(#4a4f57, #aab0b8);
  --page: light-dark(#ffffff, #111316); --panel: light-dark(#f4f5f7, #1a1d22); --line: light-dark(#d9dce1, #33383f);
  --link: light-dark(#1d4ed8, #8ab4f8); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
p { margin: 0 0 .75rem; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--link); outline-offset: 3px; border-radius: 3px; }
`

/** The complete document. It loads nothing but its style and icon, and is not indexed by search engines. */
export function framedPage({ title, productName, nonce, style, body }: FramedPage): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · ${productName}</title>
<link rel="icon" href="/web/favicon.svg">
<style nonce="${nonce}">${{ html: commonStyle + style }}</style>
</head>
<body>
${body}
</body>
</html>
`.html
}
