import { shortcutGroups, type Shortcut } from '#shared/shortcuts.ts'
import { documents } from './documentation.ts'
import { markup, type Html } from './markup.ts'
import { framedPage } from './page-frame.ts'

/** Values of the help page. */
export interface HelpPage {
  productName: string
  nonce: string
}

const style = `
main { max-width: 44rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h2 { font-size: 1.0625rem; margin: 2.25rem 0 .5rem; }
p, li span { color: var(--soft); }
ul { list-style: none; margin: 0; padding: 0; }
li { padding: .625rem 0; border-top: 1px solid var(--line); }
a { font-weight: 500; }
h3 { font-size: .9375rem; margin: 1.25rem 0 .25rem; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .4375rem 0; border-top: 1px solid var(--line); font-weight: 400; text-align: left; }
td { text-align: right; white-space: nowrap; }
kbd { display: inline-block; min-width: 1.5rem; padding: 0 .375rem; border: 1px solid var(--line); border-radius: 5px;
  font: 500 .8125rem/1.375rem ui-monospace, monospace; text-align: center; }
`

const keysOf = ({ keys }: Shortcut): Html =>
  markup`${keys.map((key, at) => markup`${at === 0 ? '' : ' '}<kbd>${key}</kbd>`)}`

const shortcutTables = shortcutGroups.map(
  ({ title, shortcuts }) => markup`<h3>${title}</h3>
<table>
<tbody>
${shortcuts.map((shortcut) => markup`<tr><th scope="row">${shortcut.text}</th><td>${keysOf(shortcut)}</td></tr>\n`)}
</tbody>
</table>
`,
)

const links = (entries: readonly (readonly [href: string, label: string, note: string])[]): Html =>
  markup`<ul>
${entries.map(([href, label, note]) => markup`<li><a href="${href}">${label}</a><br><span>${note}</span></li>\n`)}</ul>`

/** The public help page: troubleshooting, keyboard shortcuts, documentation. */
export function helpPage({ productName, nonce }: HelpPage): string {
  const body = markup`<main>
<h1>Help</h1>
<p>The people who run this ${productName} can help you with your account, your organization and your sites.</p>
<p><a href="/web">Go to ${productName}</a></p>

<h2>When something is wrong</h2>
${links([
  ['/web/forgot-password', 'You cannot log in', 'A link to set a new password goes to your address.'],
  [
    '/web',
    'A job failed',
    'Open it from “Jobs” at the top. It shows the error and what to do, and you can copy its log.',
  ],
  [
    '/web',
    'You don’t have permission',
    'Your permissions depend on your role. The members control at the top shows the owner; the owner and admins can change roles.',
  ],
  ['/readyz', 'Is the server up?', 'The answer of the server itself: “ok” means that it and its database work.'],
])}

<h2>Documentation</h2>
${links([
  ...documents.map(([name, title, note]) => [`/helpdesk/${name}`, title, note] as const),
  ['/api/docs', 'API reference', 'Every call, with curl commands to copy and how to make a token.'],
  ['/web/terms', 'Terms', 'The terms that every account has accepted.'],
])}

<h2>Keyboard</h2>
<p>Keys work outside of fields and dialogs. Single keys can be turned off under “Help and shortcuts” at the foot of the
sidebar, which also lists the keys that open a page. On a Mac, use <kbd>⌘</kbd> instead of <kbd>Ctrl</kbd>.</p>
${shortcutTables}
</main>`
  return framedPage({ title: 'Help', productName, nonce, style, body, hasAppTheme: true })
}
