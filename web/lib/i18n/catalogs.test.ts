/** Checks all catalogs and the code around them: translators get every text, and no text bypasses the catalogs. */
import { beforeAll, expect, test, vi } from 'vitest'
import { placeholdersOf } from '#shared/message-format.ts'

const sources = import.meta.glob<string>('../../**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true })
const shared = import.meta.glob<string>('../../../shared/**/*.ts', { query: '?raw', import: 'default', eager: true })
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
  // Loads most of the app.
}, 60_000)

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

/** What texts said once, and what they say instead. */
const oldWords: readonly (readonly [old: RegExp, now: string])[] = [
  [/looks after this installation/i, 'This account administers the installation.'],
  [/no strength/i, 'Too weak'],
  [/run the platform/i, 'Platform settings'],
  [/invites you to work/i, '… invited you to …'],
  [/\byou may\b/i, 'You can'],
  [/\bworks until\b/i, 'Expires'],
  [/must not hold spaces/i, 'can’t contain spaces'],
  [/\bfree in your organization/i, 'Available'],
  [/not the same name/i, 'The name doesn’t match.'],
  [/the site answers there/i, 'Your site’s address'],
  [/wordpress writes to this address/i, 'WordPress sends email to this address.'],
  [/\bkind of site\b/i, 'Site type'],
  [/^facts$/i, 'Details'],
  [/^activities$/i, 'Activity'],
  [/open the page as a visitor/i, 'Load the homepage'],
  [/measure what is left/i, 'Update disk usage'],
  [/being worked on/i, 'In progress'],
  [/is it up\?/i, 'Status'],
  [/not running: failed/i, 'Down: setup failed'],
  [/\bpicture taken|take new picture/i, 'Screenshot taken, Refresh screenshot'],
  [/\bhand over\b/i, 'Transfer ownership…'],
  [/\bend sharing\b/i, 'Remove access'],
  [/delete for good/i, 'Delete permanently'],
  [/^(?:see|change|share)$/i, 'Can view, Can edit, Can manage'],
  [/as what\?|who is here\?|does work get done\?/i, 'Roles, Members, Workers'],
  [/not a full address/i, 'isn’t a valid email address'],
  [/invitations? lasts? 7 days/i, 'Invitations expire after 7 days'],
  [/second factor/i, 'Two-factor authentication (2FA)'],
  [/\bswitch(?:ed)? on\b/i, 'Turn on'],
  [/before something that matters/i, 'Confirm your password to continue.'],
  [/keep nothing but its hash/i, 'We store only a hash.'],
  [/scopes: nothing/i, 'No access'],
  [/its maker uploaded/i, 'files its creator uploaded'],
  [/names elsewhere/i, 'External usernames'],
  [/getting to know it|what makes work fast/i, 'Product tour, Power features'],
  [/send the form|menu of the row/i, 'Submit form, Row menu'],
  [/everybody signs? in anew/i, 'All users must log in again.'],
  [/what stands in|second line while/i, 'Deferred'],
  [/waits for a call/i, 'Rejects after 60 s'],
  [/other failures are no news/i, 'Other errors are ignored'],
  [/for (?:him|her) it does not exist/i, 'not visible to the caller'],
  [/had again/i, 'Irreversible'],
  [/stands in an activity log/i, 'is recorded in a hash-chained activity log'],
  [/close it, it goes on/i, 'You can close this. The job keeps running.'],
  [/looking for values/i, 'Searching…'],
  [/asked for the site/i, 'started creating the site'],
  [/nothing runs now/i, 'No running jobs'],
  [/are not believed/i, 'are rejected'],
  [/favourite/i, 'Favorite'],
]

/** Texts that have an old word for a reason. */
const exceptions: Readonly<Record<string, string>> = {
  'No Strength': 'the specification names the levels of passwords',
  Share: 'the act and its button, not a bit of a share',
  Change: 'the difference between two charts, not a bit of a share',
}

/** What screens promised before it existed. A promise leaves this list together with the work that keeps it. */
const promises: readonly RegExp[] = [
  /servers (?:sign|log) in with it/i,
  /(?:put|authorized) on every (?:new )?server/i,
  /\bdeploys? (?:your )?sites/i,
  /backups are written/i,
]

/** Texts of the catalogs and, line by line, what shared code says, each with where it stands. */
function allTexts(): (readonly [where: string, text: string])[] {
  const lines = Object.entries(shared)
    .filter(([path]) => own(path))
    .flatMap(([path, source]) => source.split('\n').map((line) => [path, line.trim()] as const))
    .filter(([, line]) => !/^(?:\*|\/[/*])/.test(line))
  expect(lines.length).toBeGreaterThan(5000)
  return [...texts, ...lines]
}

test('no text has the old words', () => {
  const kept = new RegExp(`^(?:${Object.keys(exceptions).join('|')})$|'No Strength'`)
  const found = allTexts().flatMap(([where, text]) =>
    kept.test(text) ? [] : oldWords.filter(([old]) => old.test(text)).map(([, now]) => ({ where, text, now })),
  )
  expect(found).toEqual([])
})

test('no text promises what does not exist yet', () => {
  expect(allTexts().filter(([, text]) => promises.some((promise) => promise.test(text)))).toEqual([])
})

test('the labels of summary cards are nouns, not questions', () => {
  const labels = texts.filter(([key]) => key.endsWith('_q'))
  expect(labels.length).toBeGreaterThan(15)
  expect(labels.filter(([, text]) => /[?.!]|^(?:is|are|who|what|how|does|do)\b/i.test(text))).toEqual([])
})
