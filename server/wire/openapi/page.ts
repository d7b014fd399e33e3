import { markup, type Html } from '../pages/markup.ts'
import { framedPage } from '../pages/page-frame.ts'
import type { Reference } from './document.ts'
import { methodGroups, groupOf } from './methods.ts'
import { callsSection, errorsSection, listsSection, socketsSection } from './page-guide.ts'
import { doctypeAnchor, doctypesSection, groupAnchor, methodsSection } from './page-reference.ts'
import { authenticationSection, startSection } from './page-start.ts'
import { pageStyle } from './page-style.ts'

const chapters: readonly (readonly [anchor: string, title: string])[] = [
  ['start', 'List your sites in two minutes'],
  ['authentication', 'Authentication'],
  ['calls', 'Requests and answers'],
  ['errors', 'Errors'],
  ['lists', 'The language of lists'],
  ['sockets', 'Sockets'],
]

/**
 * The readable reference: everything on one page, so that the browser's search finds it. Rendered once; the returned
 * function fills in a response's nonce. No scripts.
 */
export function createDocsPage(reference: Reference): (nonce: string) => string {
  const { url, registry, doctypes, productName } = reference
  const body = markup`<a class="skip" href="#content">Skip to the content</a>
    <header>
      <p class="product"><a href="/web">${productName}</a></p>
      <h1>${productName} API</h1>
      <p>
        Version ${reference.version}. For programs: <a href="/api/openapi.json">openapi.json</a>. To find a word, use
        your browser’s search.
      </p>
    </header>
    <div class="columns">
      ${contents(reference)}
      <main id="content">
        ${startSection(url)} ${authenticationSection(url)} ${callsSection(url)} ${errorsSection()} ${listsSection()}
        ${socketsSection(url)} ${methodsSection(registry)} ${doctypesSection(doctypes)}
      </main>
    </div>`
  return (nonce) => framedPage({ title: 'API', productName, nonce, style: pageStyle, body })
}

function contents({ registry, doctypes }: Reference): Html {
  const used = new Set(registry.all.map(({ name }) => groupOf(name)))
  const item = (anchor: string, title: string) => markup`<li><a href="#${anchor}">${title}</a></li>`
  return markup`<nav aria-label="On this page">
    <ul>
      ${chapters.map(([anchor, title]) => item(anchor, title))}
      <li>
        <a href="#methods">Methods</a>
        <ul>
          ${methodGroups.filter((group) => used.has(group)).map((group) => item(groupAnchor(group), group))}
        </ul>
      </li>
      <li>
        <a href="#doctypes">Doctypes</a>
        <ul>
          ${doctypes.map(({ name }) => item(doctypeAnchor(name), name))}
        </ul>
      </li>
    </ul>
  </nav>`
}
