/** Checks all catalogs and the code around them: translators get every text, and no text bypasses the catalogs. */
import { beforeAll, expect, test, vi } from 'vitest'
import { placeholdersOf } from '#shared/message-format.ts'

const sources = import.meta.glob<string>('../../**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true })
const modules = import.meta.glob('../../**/*.{ts,tsx}')
const own = (path: string): boolean => !/\.test\.tsx?$/.test(path)

/** Texts by key, of all catalogs. */
const texts: [key: string, message: string][] = []
let catalogs = 0
/** Calls of `createCatalog` in the sources. */
let written = 0

beforeAll(async () => {
  vi.doMock('#web/lib/i18n/catalog.ts', async (original) => ({
    ...(await original<object>()),
    createCatalog: (catalog: Readonly<Record<string, string>>) => {
      texts.push(...Object.entries(catalog))
      catalogs += 1
      return (key: string) => key
    },
  }))
  const withCatalog = Object.keys(sources).filter(
    (path) => own(path) && sources[path]?.includes('createCatalog(') && !path.endsWith('/catalog.ts'),
  )
  expect(withCatalog.length).toBeGreaterThan(30)
  for (const file of withCatalog) {
    written += sources[file]?.match(/= createCatalog\(/g)?.length ?? 0
    await modules[file]?.()
  }
})

test('a language file imports only types, because the app waits for it', () => {
  for (const file of ['./pseudo-language.ts', './translate-message.ts']) {
    expect(sources[file]).toBeDefined()
    expect(sources[file]).not.toMatch(/^import (?!type )/m)
  }
})

test('every text is a valid message', () => {
  expect(catalogs).toBe(written)
  const bad = texts.filter(([, text]) => text.trim() === '' || !isMessage(text))
  expect(bad).toEqual([])
})

/** Each `{name` of it is a place: an apostrophe before a brace would make it text. */
function isMessage(text: string): boolean {
  try {
    const named = [...text.matchAll(/\{(\w+)(?=[,}])/g)].map(([, name]) => name)
    return new Set(placeholdersOf(text)).size === new Set(named).size
  } catch {
    return false
  }
}

test('no component contains hard-coded text', () => {
  const visibleText =
    /\s(?:aria-label|aria-description|title|placeholder|alt|label|hint|heading)=(?:"[^"]*[A-Za-z]{2}|\{['"`][^$]*[A-Za-z]{2})/
  const between = /^\s*[A-Z][a-z]+(?: [\w’',-]+)*[.?!…]?$|<(?!Kbd)(\w+)[^<>=]*>[^<>{}=]*[A-Za-z]{2}[^<>{}=]*<\/\1>/
  // The same in every language, like key names.
  const same = /placeholder="ssh-ed25519 AAAA…"/
  const bad = Object.entries(sources)
    .filter(([path]) => own(path) && path.endsWith('.tsx'))
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
