/** Finds untranslated text while the page is in the pseudo-language of `web/lib/i18n/pseudo-language.ts`. */
import type { Page } from '@playwright/test'

/**
 * Text that is the same in every language. Everything else in Latin letters didn't come from a catalog, except single
 * letters and abbreviations of two capitals:
 * - below `translate="no"`, the HTML attribute: names, output of programs, emails as sent;
 * - code, keys, typed text and search highlights;
 * - URLs, emails, host names and paths, by their form;
 * - products, formats and codes with a universal name;
 * - the words a test passes: names it created.
 */
const marked = '[translate=no]'
const ignoredElements = 'script, style, code, pre, kbd, samp, mark, input, textarea'
const products = ['Easydash', 'WordPress', 'PHP', 'HTML', 'Chrome', 'Linux', 'curl', 'UTC', 'EUR']
const byForm = [
  /\b\w+:\/\/\S*/g,
  /[\w.+-]+@[\w.-]+/g,
  /(?:[\w*-]*\.)+[a-z][\w-]*(?::\d+)?\b/gi,
  /\blocalhost(?::\d+)?\b/g,
  /(?<!\w)\/[\w./-]+/g,
  // What a statement of SQL did to which table, in the log of activities.
  /\b(?:SELECT|INSERT|UPDATE|DELETE)(?: wp_\w+)*/g,
]

/** A text on the page and its location: the text's element, or its attribute. */
interface Found {
  text: string
  where: string
}

/**
 * Everything on the page that users read or hear in plain Latin letters, as "where: text". @param data names in the data of
 * this test
 */
export async function leftovers(page: Page, data: readonly string[]): Promise<string[]> {
  const found = (await page.evaluate(collect())) as Found[]
  const names = [...products, ...data].toSorted((a, b) => b.length - a.length).map(escaped)
  const known = new RegExp(`(?<![A-Za-z])(?:${names.join('|')})(?![A-Za-z])`, 'gi')
  const lines = found.flatMap(({ text, where }) => {
    const rest = [...byForm, known].reduce((left, pattern) => left.replaceAll(pattern, ' '), text)
    return /[A-Za-z]{3}|[a-z]{2}/.test(rest) ? [`${where}: ${text}`] : []
  })
  return [...new Set(lines)]
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

/** As a string, because the tests are type-checked without DOM types. */
function collect(): string {
  return `(() => {
    const readAloud = ['aria-label', 'aria-valuetext', 'aria-description', 'aria-roledescription', 'title', 'placeholder', 'alt']
    const marked = ${JSON.stringify(marked)}
    const ignored = marked + ', ' + ${JSON.stringify(ignoredElements)}
    const shown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: false })
    const found = [{ text: document.title, where: 'title' }]
    for (const element of document.body.querySelectorAll('*')) {
      const name = element.localName
      // The parts of a closed select have no box of their own.
      if (!shown(name === 'option' || name === 'optgroup' ? element.closest('select') ?? element : element)) continue
      for (const attribute of readAloud) {
        const text = element.getAttribute(attribute)
        if (text && !element.closest(marked)) found.push({ text, where: name + '[' + attribute + ']' })
      }
      if (element.closest(ignored)) continue
      for (const node of element.childNodes) {
        const text = node.nodeType === Node.TEXT_NODE ? node.data.trim() : ''
        if (text) found.push({ text, where: name })
      }
    }
    return found
  })()`
}
