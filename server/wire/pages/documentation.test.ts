import { expect, test } from 'vitest'
import { documentationPage, documents } from './documentation.ts'
import { renderMarkdown } from './markdown.ts'

const render = (source: string) =>
  renderMarkdown(source, (target) => (target.startsWith('#') ? target : null)).html.replaceAll(/\n *|(?<=<li>) /g, '')

test('keeps the numbers of steps, the heads and empty cells of tables, and emphasis', () => {
  expect(render('1. One\n   ```sh\n   a < b\n   ```\n2. *Two*\n   - **`x`**')).toBe(
    '<ol><li>One<pre class="wide" tabindex="0">a &#60; b</pre></li><li><em>Two</em><ul><li><strong><code>x</code></strong></li></ul></li></ol>',
  )
  expect(render('| | A |\n|---|---|\n| `x \\| y` | |')).toBe(
    '<div class="wide" tabindex="0"><table><thead><tr><th scope="col"></th><th scope="col">A</th></tr></thead><tr><td><code>x \\| y</code></td><td></td></tr></table></div>',
  )
})

test('HTML is text, and a link that does not resolve is its label', () => {
  expect(render('<script>x</script>\n\n[a](#b) [d](javascript:x) <b>')).toBe(
    '&#60;script&#62;x&#60;/script&#62;<p><a href="#b">a</a> d &#60;b&#62;</p>',
  )
})

test('every link to a heading of a document finds it', async () => {
  const pages = new Map<string, string>()
  for (const [name] of documents)
    pages.set(name, (await documentationPage(name, { productName: 'Easydash', nonce: 'n' })) ?? '')
  const missing = [...pages].flatMap(([from, page]) =>
    [...page.matchAll(/href="(?:\/helpdesk\/([a-z]+))?#([^"]+)"/g)].flatMap(([, to = from, id]) =>
      pages.get(to)?.includes(` id="${id}"`) ? [] : [`${from}: ${to}#${id}`],
    ),
  )
  expect(missing).toEqual([])
  expect([...pages.values()].join('').match(/href="(?:\/helpdesk\/[a-z]+)?#/g)?.length).toBeGreaterThan(20)
})
