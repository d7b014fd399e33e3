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
  /** Takes the theme that the app keeps in the browser, which needs a script; default: that of the system. */
  hasAppTheme?: boolean
}

const themeScript = (nonce: string): Html => markup`<script nonce="${nonce}">
try { document.documentElement.style.colorScheme = localStorage.getItem('darkMode') === 'true' ? 'dark' : 'light' } catch {}
</script>`

/** Colors and typography of all such pages: those of the app (`web/styles/tokens.css`). */
const commonStyle = `
:root { color-scheme: light dark; --text: light-dark(oklch(.21 .015 260), oklch(.955 .004 260));
  --soft: light-dark(oklch(.48 .018 260), oklch(.72 .014 260)); --page: light-dark(oklch(.988 .002 260), oklch(.165 .008 260));
  --panel: light-dark(oklch(.965 .004 260), oklch(.2 .01 260)); --line: light-dark(oklch(.905 .007 260), oklch(.3 .013 260));
  --link: light-dark(oklch(.48 .2 268), oklch(.78 .12 270)); }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 'Geist Variable', system-ui, sans-serif; color: var(--text); background: var(--page); }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
p { margin: 0 0 .75rem; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--link); outline-offset: 3px; border-radius: 3px; }
`

/** The complete document. It loads nothing but its style and icon, and is not indexed by search engines. */
export function framedPage({ title, productName, nonce, style, body, hasAppTheme = false }: FramedPage): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · ${productName}</title>
<link rel="icon" href="/web/favicon.svg">
${hasAppTheme ? themeScript(nonce) : null}
<style nonce="${nonce}">${{ html: commonStyle + style }}</style>
</head>
<body>
${body}
</body>
</html>
`.html
}
