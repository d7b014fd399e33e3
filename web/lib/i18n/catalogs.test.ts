/** No text of the web app bypasses the catalogs. */
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'

const web = join(import.meta.dirname, '../..')
const sources = new Map<string, string>()
beforeAll(async () => {
  for await (const path of glob('**/*.{ts,tsx}', { cwd: web }))
    if (!path.includes('.test.')) sources.set(path, readFileSync(join(web, path), 'utf8'))
})

test('a language file imports only types, because the app waits for it', () => {
  for (const file of ['pseudo-language.ts', 'translate-message.ts'])
    expect(sources.get(`lib/i18n/${file}`)).not.toMatch(/^import (?!type )/m)
})

test('no component contains hard-coded text', () => {
  const visibleText =
    /\s(?:aria-label|aria-description|title|placeholder|alt|label|hint|heading)=(?:"[^"]*[A-Za-z]{2}|\{['"`][^$]*[A-Za-z]{2})/
  const between = /^\s*[A-Z][a-z]+(?: [\w’',-]+)*[.?!…]?$|<(?!Kbd)(\w+)[^<>=]*>[^<>{}=]*[A-Za-z]{2}[^<>{}=]*<\/\1>/
  // The same in every language, like key names.
  const same = /placeholder="ssh-ed25519 AAAA…"/
  const bad = [...sources]
    .filter(([path]) => path.endsWith('.tsx'))
    .flatMap(([path, source]) =>
      source
        .split('\n')
        .map((line, at) => `${path}:${at + 1}: ${line.trim()}`)
        .filter((_, at) => {
          const line = source.split('\n')[at] ?? ''
          return !/^\s*(?:\*|\/[/*])/.test(line) && !same.test(line) && (visibleText.test(line) || between.test(line))
        }),
    )
  expect(bad).toEqual([])
})
