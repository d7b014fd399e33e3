import { expect, test } from 'vitest'
import { starterPage } from './starter-page.ts'

/** The first page of a site, its name and what visitors read. */
function page(siteType: 'php' | 'html', title = 'Docs') {
  const { name, content } = starterPage({ siteType, title })
  const body = content.slice(content.indexOf('<body>'))
  return { name, content, text: body.replaceAll(/<\?=.*?\?>/g, '…').replaceAll(/<[^>]*>/g, ' ') }
}

test.each([
  ['html', 'index.html'],
  ['php', 'index.php'],
] as const)('the first page of an %s site says which file it is, and how to change it', (type, file) => {
  const { name, text } = page(type)
  expect(name).toBe(file)
  expect(text).toContain('Docs')
  expect(text.replaceAll(/\s+/g, ' ')).toContain(
    `This page is the file ${file} . To change it, edit or replace that file; the page of this site in Easydash says in which folder it is.`,
  )
})

test('the first page of a PHP site runs PHP, that of an HTML site does not', () => {
  expect(page('php').content).toContain('<?= PHP_VERSION ?>')
  expect(page('html').content).not.toContain('<?')
})

test('a title is no code', () => {
  const { content } = page('php', '<?php phpinfo() ?><script>')
  expect(content).not.toMatch(/<\?php|<script/)
})
