import { escapeHtml } from '#server/platform/escape-html.ts'
import { shortcuts } from '#shared/shortcuts.ts'

/** What the help page is made for. */
export interface HelpPage {
  productName: string
  nonce: string
}

const keysOf = (keys: readonly string[]): string =>
  keys.map((key) => `<kbd>${escapeHtml(key)}</kbd>`).join('<span class="then"> </span>')

const shortcutRows = shortcuts
  .map(({ keys, text }) => `<tr><th scope="row">${escapeHtml(text)}</th><td>${keysOf(keys)}</td></tr>`)
  .join('\n')

const links = (entries: readonly (readonly [href: string, label: string, note: string])[]): string =>
  `<ul>${entries
    .map(
      ([href, label, note]) =>
        `<li><a href="${escapeHtml(href)}">${escapeHtml(label)}</a><br><span>${escapeHtml(note)}</span></li>`,
    )
    .join('\n')}</ul>`

/** The page behind the help link: what to do when something is wrong, the keys, where the documentation is. Public. */
export function helpPage({ productName, nonce }: HelpPage): string {
  const product = escapeHtml(productName)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Help · ${product}</title>
<style nonce="${escapeHtml(nonce)}">
:root { color-scheme: light dark; --fg: light-dark(#1b1d21, #e8eaed); --muted: light-dark(#4a4f57, #aab0b8);
  --line: light-dark(#dcdfe4, #2c3036); --link: light-dark(#1d4ed8, #8ab4f8); }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--fg); background: light-dark(#fafafa, #111316); }
main { max-width: 44rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.0625rem; margin: 2.25rem 0 .5rem; }
p, li span { color: var(--muted); }
p { margin: 0 0 .75rem; }
ul { list-style: none; margin: 0; padding: 0; }
li { padding: .625rem 0; border-top: 1px solid var(--line); }
a { color: var(--link); font-weight: 500; }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 3px; border-radius: 3px; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .4375rem 0; border-top: 1px solid var(--line); font-weight: 400; text-align: left; }
td { text-align: right; white-space: nowrap; }
kbd { display: inline-block; min-width: 1.5rem; padding: 0 .375rem; border: 1px solid var(--line); border-radius: 5px;
  font: 500 .8125rem/1.375rem ui-monospace, monospace; text-align: center; }
</style>
</head>
<body>
<main>
<h1>Help</h1>
<p>The people who run this ${product} can help you with your account, your organization and your sites.</p>
<p><a href="/web">Go to ${product}</a></p>

<h2>When something is wrong</h2>
${links([
  ['/web/forgot-password', 'You cannot log in', 'A link to set a new password goes to your address.'],
  [
    '/web',
    'A job failed',
    'Open it from “Jobs” at the top: it says what happened and what to do, and its log can be copied.',
  ],
  [
    '/web',
    'You may not do something',
    'Your role decides. The members control at the top says who the admins are; they can change roles.',
  ],
  ['/readyz', 'Is the server up?', 'The answer of the server itself: “ok” means that it and its database work.'],
])}

<h2>Documentation</h2>
${links([
  ['/api/docs', 'API reference', 'Every call, with curl commands to copy and how to make a token.'],
  ['/web/terms', 'Terms', 'What everybody who has an account has agreed to.'],
])}

<h2>Keyboard</h2>
<p>Keys work outside of fields and dialogs. Single keys can be switched off under “Help and shortcuts” in the menu. On a
Mac it is <kbd>⌘</kbd> in the place of <kbd>Ctrl</kbd>.</p>
<table>
<tbody>
${shortcutRows}
</tbody>
</table>
</main>
</body>
</html>
`
}
