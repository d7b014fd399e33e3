import { readFileSync } from 'node:fs'
import { singleQuoted } from '#server/platform/ssh/quote.ts'

const load = (name: string): string =>
  readFileSync(new URL(`remote/${name}.sh`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.trimStart().startsWith('#'))
    .join('\n')

const common = load('common')
const leftDatabases = load('left-databases')
const configFiles = load('config-files')
const certificateFiles = load('certificate-files')
const passwords = load('passwords')
/** What precedes scripts besides, by their names or how these begin. */
const shared: Readonly<Record<string, readonly string[]>> = {
  files: [load('paths'), load('files-common')],
  restore: [load('paths'), load('database'), load('restore-parts'), load('restore-push')],
  statement: [load('database')],
  database: [load('database')],
  create: [leftDatabases, passwords],
  delete: [leftDatabases, passwords],
  limits: [configFiles],
  maintenance: [configFiles],
  leave: [configFiles, passwords],
  'http-auth': [passwords],
  move: [configFiles],
  settings: [configFiles],
  aliases: [configFiles, certificateFiles, passwords],
  ssl: [certificateFiles],
  'hide-kept': [configFiles],
  'native-restore': [configFiles],
  'install-certificate': [configFiles],
  proof: [load('database')],
  'pack-database': [load('database'), load('count-rows'), load('dump-pieces')],
  'pack-sum': [load('archive-tar')],
  'pack-archive': [load('archive-tar')],
}

/** The scripts in `remote/`, each of which says in its head what it does; `common.sh` precedes it. */
export type EeScript =
  | 'inventory'
  | 'reserve'
  | 'create'
  | 'delete'
  | 'change'
  | 'mark'
  | 'first-page'
  | 'database-login'
  | 'wp'
  | 'php'
  | 'upload'
  | 'deletion'
  | 'web-config'
  | 'login-link'
  | 'disk'
  | 'count-files'
  | 'files'
  | 'files-unpack'
  | 'sweep-files'
  | 'settings'
  | 'events'
  | 'purge-proxy'
  | 'purge-redis'
  | 'aliases'
  | 'own-aliases'
  | 'move'
  | 'ssl'
  | 'ssl-info'
  | 'certificate'
  | 'install-certificate'
  | 'http-auth'
  | 'own-key'
  | 'limits'
  | 'hide-kept'
  | 'maintenance'
  | 'debug'
  | 'core-change'
  | 'log-stat'
  | 'log-read'
  | 'log-clear'
  | 'statement'
  | 'console'
  | 'pack-database'
  | 'pack-files'
  | 'pack-own'
  | 'pack-sum'
  | 'pack-archive'
  | 'archive-tools'
  | 'archive-way'
  | 'archive-send'
  | 'packed'
  | 'packed-part'
  | 'packed-remove'
  | 'restore'
  | 'swap-part'
  | 'leave'
  | 'left'
  | 'native-restore'
  | 'native-state'
  | 'restart'
  | 'restarted'
  | 'proof'
  | 'prove-part'
  | 'staging'

/**
 * The text of a script, with variables it starts with: standard input carries it to the server, so that what is secret is neither on its
 * disk nor among the arguments of a process.
 */
export function scriptText(name: EeScript, variables: Readonly<Record<string, string>> = {}): string {
  const assigned = Object.entries(variables).map(([variable, value]) => {
    if (!/^[a-z][a-z_]*$/.test(variable)) throw new TypeError(`Not the name of a variable: ${variable}`)
    if (value.includes('\0')) throw new TypeError(`A shell cannot hold a null byte: ${variable}`)
    return `${variable}=${singleQuoted(value)}`
  })
  return [...assigned, common, ...(shared[name] ?? shared[name.split('-')[0] ?? ''] ?? []), load(name), ''].join('\n')
}
