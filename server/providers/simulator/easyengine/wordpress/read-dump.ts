import { freshEvents, type WordPressState, type WordPressUser } from './state.ts'

/**
 * What the simulation has of a dump that a real WordPress wrote: options, users, and how many posts and comments there are. Undefined if it
 * has none. Passwords of users are not known: they are hashes.
 */
export function readRealDump(text: string): WordPressState | undefined {
  const tables = tablesOf(text)
  const prefix = [...tables.keys()].find((name) => name.endsWith('options'))?.slice(0, -'options'.length)
  if (prefix === undefined) return undefined
  const rows = (name: string) => tables.get(`${prefix}${name}`) ?? []
  const options = Object.fromEntries(
    rows('options').map((row) => [row['option_name'] ?? '', row['option_value'] ?? '']),
  )
  const posts = rows('posts').filter(
    ({ post_status: status }) => status !== 'auto-draft' && status !== 'trash' && status !== 'inherit',
  )
  const roles = new Map(
    rows('usermeta')
      .filter(({ meta_key: key }) => key === `${prefix}capabilities`)
      .map((row) => [row['user_id'], /"(\w+)";b:1/.exec(row['meta_value'] ?? '')?.[1] ?? '']),
  )
  const accounts = new Map(
    rows('usermeta').flatMap((row) =>
      row['meta_key'] === 'easydash_account' ? [[row['user_id'], row['meta_value'] ?? '']] : [],
    ),
  )
  const users = rows('users').map((row): WordPressUser => {
    const account = accounts.get(row['ID'])
    return {
      ID: Number(row['ID']),
      user_login: row['user_login'] ?? '',
      user_email: row['user_email'] ?? '',
      display_name: row['display_name'] ?? '',
      user_registered: row['user_registered'] ?? '',
      roles: roles.get(row['ID']) ?? '',
      password: '',
      ...(account === undefined ? {} : { account }),
    }
  })
  const plugins = [...(options['active_plugins'] ?? '').matchAll(/s:\d+:"(?:[\w-]+\/)?([\w-]+)\.php"/g)]
  const count = (type: string) => posts.filter(({ post_type: one }) => one === type).length
  return {
    options,
    users,
    activePlugins: plugins.map(([, name = '']) => name),
    theme: options['stylesheet'] ?? '',
    events: freshEvents(),
    ...{ posts: count('post'), pages: count('page'), comments: rows('comments').length },
  }
}

type Row = Readonly<Record<string, string>>

/** The rows of all tables, by the names of tables and columns. */
function tablesOf(text: string): Map<string, Row[]> {
  const columns = new Map<string, string[]>()
  for (const [, name = '', body = ''] of text.matchAll(/^CREATE TABLE `(\w+)` \(([^]*?)\n?\)[^\n]*;$/gm))
    columns.set(
      name,
      [...body.matchAll(/(?:^|\n|, )\s*`(\w+)` [a-z]/g)].map(([, column = '']) => column),
    )
  const tables = new Map<string, Row[]>([...columns.keys()].map((name) => [name, []]))
  const insert = /^INSERT INTO `(\w+)` (?:\(([^)]*)\) )?VALUES\s*/gm
  for (let match = insert.exec(text); match !== null; match = insert.exec(text)) {
    const [, name = '', listed] = match
    const names = listed === undefined ? (columns.get(name) ?? []) : listed.replaceAll(/[`\s]/g, '').split(',')
    const { rows, end } = valuesAt(text, insert.lastIndex)
    insert.lastIndex = end
    const found = rows.map((values) => Object.fromEntries(names.map((one, at) => [one, values[at] ?? ''])))
    tables.set(name, [...(tables.get(name) ?? []), ...found])
  }
  return tables
}

const token = /\s*(?:(\()|(\))|(,)|(;)|(?:_binary )?'((?:[^'\\]|\\[^]|'')*)'|([^\s,()';]+))/y
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', 0: '\0', Z: '\u001A' }

/** The rows of an INSERT from its first one on. */
function valuesAt(text: string, from: number): { readonly rows: string[][]; readonly end: number } {
  const rows: string[][] = []
  token.lastIndex = from
  for (;;) {
    const match = token.exec(text)
    if (match === null) return { rows, end: text.length }
    const [, opens, , , ends, quoted, plain] = match
    if (ends !== undefined) return { rows, end: token.lastIndex }
    if (opens !== undefined) rows.push([])
    else if (quoted !== undefined)
      rows
        .at(-1)
        ?.push(quoted.replaceAll(/\\([^])|''/g, (_, one?: string) => (one === undefined ? "'" : (escapes[one] ?? one))))
    else if (plain !== undefined)
      rows.at(-1)?.push(/^0x(?:[\da-f]{2})+$/i.test(plain) ? Buffer.from(plain.slice(2), 'hex').toString() : plain)
  }
}
