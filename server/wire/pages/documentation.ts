import { readFile } from 'node:fs/promises'
import { framedPage } from './page-frame.ts'

/** The documents of `docs/` that the help page links: file, title, whom it is for. */
export const documents = [
  ['using', 'Using the dashboard', 'Organizations, people, sites and their states.'],
  ['sites', 'Sites in depth', 'What each part of a site’s page does.'],
  ['servers', 'Servers', 'Adding, measuring and ending machines.'],
  ['backups', 'Backups', 'Schedules, proofs, restores.'],
  ['billing', 'Billing', 'Plans, cards and invoices.'],
  ['operating', 'Operating', 'Settings, updates and moving, for those who run the installation.'],
  ['security', 'Security', 'What is protected, from whom, and how.'],
] as const

const folder = new URL('../../../docs/', import.meta.url)

const style = `
main { max-width: 50rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.125rem; margin: 2.25rem 0 .5rem; }
h3, h4 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
code, pre { font: 500 .8125rem/1.5 ui-monospace, monospace; }
pre { padding: .75rem 1rem; background: var(--panel); border-radius: 8px; }
.wide { overflow-x: auto; margin: 0 0 .75rem; }
table { border-collapse: collapse; font-size: .875rem; }
th, td { padding: .4375rem .75rem .4375rem 0; border-top: 1px solid var(--line); vertical-align: top; min-width: 8rem; text-align: left; }
`

/** A link of a document: to a heading, to another one that is here, or to the web. Other files of the repository are not here. */
function resolveLink(target: string): string | null {
  if (target.startsWith('https://')) return target
  if (target.startsWith('#')) return target
  const [, name, anchor = ''] = /^([a-z]+)\.md(#.*)?$/.exec(target) ?? []
  return documents.some(([known]) => known === name) ? `/helpdesk/${name}${anchor}` : null
}

/** A document as a page; null if there is none of this name. */
export async function documentationPage(
  name: string,
  { productName, nonce }: { productName: string; nonce: string },
): Promise<string | null> {
  const found = documents.find(([known]) => known === name)
  if (found === undefined) return null
  // The parser is not loaded before somebody reads.
  const { renderMarkdown } = await import('./markdown.ts')
  const body = renderMarkdown(await readFile(new URL(`${found[0]}.md`, folder), 'utf8'), resolveLink)
  return framedPage({
    title: found[1],
    productName,
    nonce,
    style,
    body: { html: `<main>${body.html}</main>` },
    hasAppTheme: true,
  })
}
