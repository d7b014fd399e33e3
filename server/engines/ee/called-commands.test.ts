import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** All that we have EasyEngine do. Before one is added here: docs/easyengine.md tells people who operate servers of each. */
const listed = [
  ...['cli info', 'cli update', 'cli version', 'config get', 'config set'],
  ...['auth create', 'auth delete', 'auth update', 'cron create', 'cron delete', 'mailhog disable', 'mailhog enable'],
  ...['site backup --list', 'site create', 'site delete', 'site disable', 'site enable', 'site refresh', 'site reload'],
  ...['site restart', 'site restore', 'site ssl-info', 'site ssl-renew', 'site ssl-verify'],
  ...['site update --add-alias-domains', 'site update --delete-alias-domains', 'site update --php'],
  ...['site update --proxy-cache', 'site update --ssl'],
]

/**
 * Those that show passwords (`info`), give the database of all sites to one of them (`admin-tools`), run what a site says as root (`shell`), let others
 * in (`dash init`, `share`), or do nothing without a terminal, or do not end (`clean`, `log show`).
 */
const refused = /^(?:site (?:info|clean|share)|admin-tools|shell|dash|log)\b/

const root = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const filesIn = (folder: string, end: string): string[] =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith(end) && !name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`)

const scripts = ['server/engines/ee/remote', 'server/features/servers/remote'].flatMap((folder) =>
  filesIn(folder, '.sh'),
)
const engine = filesIn('server/engines/ee', '.ts').map((path) => read(path))

/** A command by its first two words; of those that do several things, with the option that says which. */
function nameOf(words: readonly string[]): string {
  const [group = '', verb = '', ...rest] = words
  const name = `${group} ${verb}`
  if (name !== 'site update' && name !== 'site backup') return name
  const option = rest.find((word) => word.startsWith('--')) ?? '(anything)'
  return `${name} ${option.replace(/=.*/, '')}`
}

/** What a value of our code can be: the texts in it, or in the constant that it names. */
function textsOf(value: string, source: string): string[] {
  const own = [...value.matchAll(/'([^']*)'|`([^`$]*)[^`]*`/g)].map(([, text, start]) => text ?? start ?? '')
  if (own.length > 0) return own
  const [, constant] = new RegExp(`const ${/^\w*/.exec(value)?.[0]} = (.*)`).exec(source) ?? []
  return constant === undefined ? [value] : textsOf(constant, '')
}

/** The arguments with which our code runs a script; each has one or more values. */
function argumentsOf(script: string): string[][][] {
  return engine.flatMap((source) =>
    source
      .split(`script: '${script}',`)
      .slice(1)
      .map((rest) => {
        const [, list] = /^\s*args: \[((?:[^[\]]|\[[^\]]*\])*)\]/.exec(rest) ?? []
        if (list === undefined) throw new Error(`Not understood: script: '${script}',${rest.slice(0, 80)}`)
        return list.split(/,\s*/).map((value) => textsOf(value, source))
      }),
  )
}

/** Every choice of one value for each word. */
const choices = (words: readonly (readonly string[])[]): string[][] =>
  words.reduce<string[][]>((all, values) => all.flatMap((one) => values.map((value) => [...one, value])), [[]])

/** The commands of EasyEngine that a script calls; one that is not understood is named as it stands there. */
function callsOf(path: string): string[] {
  const name = /(\w[\w-]*)\.sh$/.exec(path)?.[1] ?? ''
  const text = read(path)
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll(/^\s*#.*/gm, '')
    // Only whether it is there.
    .replaceAll(/\b(?:command -v|have) ee\b/g, '')
  /** A word of a call: a variable as what it can be. */
  const meant = (word: string): string[] => {
    const [, at, variable] = /^"\$(?:(\d)|(\w+))"$/.exec(word) ?? []
    const values =
      at === undefined
        ? [...text.matchAll(new RegExp(`(?:^|\\s)${variable ?? ' '}=(\\w+)$`, 'gm'))].map(([, value = '']) => value)
        : argumentsOf(name).flatMap((args) => args[Number(at) - 1] ?? [])
    return values.length > 0 ? values : [word]
  }
  return [...text.matchAll(/(?<![\w$-])(?:run_)?ee(?![\w.=(-])([^\n;|&)}]*)/g)].flatMap(([, rest = '']) => {
    const words = rest.trim().split(/\s+/)
    if (words[0] === '"$@"') {
      // Its callers are looked at themselves.
      if (name === 'common') return []
      if (name === 'change') return argumentsOf(name).flatMap((args) => choices(args).map(nameOf))
    }
    const [group = '', verb = '', ...more] = words
    return choices([meant(group), meant(verb), ...more.map((word) => [word])]).map(nameOf)
  })
}

/** The commands in a row of the table that says what runs on a server: `ee site create`, `delete`. */
function documented(): string[] {
  const rows = read('docs/easyengine.md').match(/^\| `ee .*/gm) ?? []
  return rows.flatMap((row) => {
    let group = ''
    return [...(row.split(' | ')[0] ?? '').matchAll(/`(ee \S+ )?([^`]*)`/g)].map(([, start, rest = '']) => {
      group = start?.trim().split(' ')[1] ?? group
      return nameOf([group, ...rest.split(' ')])
    })
  })
}

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].toSorted()

test('scripts have EasyEngine do what people are told, and nothing else', () => {
  expect(sorted(scripts.flatMap(callsOf))).toEqual(sorted(listed))
  expect(sorted(documented())).toEqual(sorted(listed))
  expect(listed.filter((name) => refused.test(name))).toEqual([])
})
