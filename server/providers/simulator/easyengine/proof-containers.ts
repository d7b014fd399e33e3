import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createRowCounter } from '#server/platform/mysql/count-rows.ts'
import { idOf, type Container } from './containers.ts'
import type { SiteRow } from './database.ts'
import { dockerOptions } from './docker-options.ts'
import { note, put, readIfThere, type Machine } from './machine.ts'
import { readDump } from './wordpress/dump.ts'
import { phpScript } from './wordpress/php-script.ts'
import { readRealDump } from './wordpress/read-dump.ts'
import { createDatabase, databaseFile, dropDatabase, writeDatabase } from './wordpress/state.ts'
import { statementsIn } from './wordpress/wp-database.ts'

/** Containers that `docker run` made: those in which Easydash tries backups out. They are files here, so each program sees them. */
const folder = '/var/lib/simulated/containers'

const valued = [
  ...[
    '--name',
    '--label',
    '--memory',
    '--oom-score-adj',
    '--cpus',
    '--pids-limit',
    '--log-driver',
    '--security-opt',
    '--cap-drop',
    '--cap-add',
  ],
  ...['--network', '--add-host', '--user', '-v', '-w', '-e', '--entrypoint'],
]

interface Ran {
  readonly name: string
  readonly image: string
  readonly labels: Readonly<Record<string, string>>
  /** Folder of the machine that is its `/var/www`. */
  readonly mounted: string | null
  /** Environment. */
  readonly variables: Readonly<Record<string, string>>
}

const all = (machine: Machine): Ran[] =>
  existsSync(machine.path(folder))
    ? readdirSync(machine.path(folder)).map(
        (file) => JSON.parse(readIfThere(machine.path(join(folder, file))) ?? '') as Ran,
      )
    : []

/** These containers, as Docker shows them. */
export const ranContainers = (machine: Machine): Container[] =>
  all(machine).map(({ name, image, labels }) => ({ id: idOf(name), name, image, labels, site: null, service: 'proof' }))

/** `docker run -d`. What the site of a backup runs in must be isolated: anything else is a violation. */
export function dockerRun(machine: Machine, words: readonly string[]): number {
  const { options, rest, unknown } = dockerOptions(words, valued, ['-d', '--rm'])
  const valuesOf = (name: string) => options.filter(([key]) => key === name).map(([, value]) => value)
  const [name = ''] = valuesOf('--name')
  const [network = ''] = valuesOf('--network')
  const joined = all(machine).find((one) => `container:${one.name}` === network)
  const isIsolated =
    (network === 'none' || joined !== undefined) &&
    valuesOf('--cap-drop').includes('ALL') &&
    valuesOf('--security-opt').includes('no-new-privileges') &&
    ['--memory', '--cpus', '--pids-limit'].every((limit) => valuesOf(limit).length === 1) &&
    options.some(([key]) => key === '--rm')
  if (unknown !== null || name === '' || !isIsolated) {
    note(machine.root, 'violations.log', `docker run: ${unknown ?? 'a container that is not isolated'}`)
    return 125
  }
  if (all(machine).some((one) => one.name === name)) {
    machine.err(`docker: Error response from daemon: Conflict. The container name "/${name}" is already in use.\n`)
    return 125
  }
  const [mount] = valuesOf('-v')
  const pairs = (given: readonly string[]) =>
    Object.fromEntries(
      given.map((one): [string, string] => {
        const at = one.indexOf('=')
        // Of the name alone, Docker passes on the variable that it has itself.
        return at < 0 ? [one, process.env[one] ?? ''] : [one.slice(0, at), one.slice(at + 1)]
      }),
    )
  const ran: Ran = {
    ...{ name, image: rest[0] ?? '', labels: pairs(valuesOf('--label')) },
    mounted: mount?.endsWith(':/var/www') === true ? mount.slice(0, -':/var/www'.length) : null,
    variables: pairs(valuesOf('-e')),
  }
  put(machine.path(join(folder, `${basename(name)}.json`)), JSON.stringify(ran))
  if (ran.mounted === null) createDatabase(machine, databaseNameOf(ran))
  note(machine.root, 'effects.log', `docker run ${name}`)
  machine.out(`${idOf(name)}\n`)
  return 0
}

/** What both containers of a backup have in common. */
const proofOf = ({ labels }: Ran): string => labels['easydash.proof'] ?? ''
const databaseNameOf = (ran: Ran): string => `proof_${proofOf(ran)}`
const findRan = (machine: Machine, word: string): Ran | undefined =>
  all(machine).find(({ name }) => name === word || idOf(name).startsWith(word))

/** Removes one of them, with its volume. Returns false if there is none. */
export function removeRan(machine: Machine, word: string): boolean {
  const ran = findRan(machine, word)
  if (!ran) return false
  rmSync(machine.path(join(folder, `${basename(ran.name)}.json`)))
  if (ran.mounted === null) {
    dropDatabase(machine, databaseNameOf(ran))
    rmSync(machine.path(databaseFile(databaseNameOf(ran)).replace(/\.json$/, '.sql')), { force: true })
  }
  return true
}

/** How `mariadb` is called in the database's container: with the login that its environment has. */
const onDatabase =
  'MYSQL_PWD=$MYSQL_PASSWORD exec "$(command -v mariadb || command -v mysql)" --no-defaults --host=127.0.0.1 --protocol=tcp "--user=$MYSQL_USER" --default-character-set=utf8mb4 --max-allowed-packet=16M "$@" "$MYSQL_DATABASE"'

/** `docker exec` in one of them: PHP with a script, and `mariadb`. Null if there is no such container. */
export async function inRan(
  machine: Machine,
  word: string,
  { program, args, user }: { program: string; args: readonly string[]; user: string | undefined },
): Promise<number | null> {
  const ran = findRan(machine, word)
  if (!ran) return null
  if (program === 'php' && ran.mounted !== null && user === 'www-data') {
    const config = readIfThere(machine.path(join(ran.mounted, 'wp-config.php')))
    const site: SiteRow = {
      ...{ site_url: `proof-${proofOf(ran)}`, site_type: config === null ? 'php' : 'wp', site_enabled: '1' },
      ...{ site_fs_path: dirname(ran.mounted), site_container_fs_path: '/var/www/htdocs', alias_domains: '' },
      ...{ db_name: databaseNameOf(ran), app_sub_type: config?.includes("'MULTISITE', true") ? 'subdir' : null },
    }
    return phpScript(machine, site, '/var/www/htdocs')
  }
  if (program === 'sh' && ran.mounted === null && args[0] === '-c' && args[1] === onDatabase)
    return inDatabase(machine, ran)
  note(machine.root, 'violations.log', `docker exec: ${program} where a backup is tried out is not simulated`)
  return 126
}

async function inDatabase(machine: Machine, ran: Ran): Promise<number> {
  const text = machine.readInput()
  const database = databaseNameOf(ran)
  const kept = machine.path(databaseFile(database).replace(/\.json$/, '.sql'))
  if (text === 'SELECT 1\n') return 0
  if (text.includes('SET @counts = ')) {
    const { through, rows } = createRowCounter()
    const passed = new Writable({ write: (_chunk, _encoding, done) => done() })
    await pipeline(Readable.from([Buffer.from(readIfThere(kept) ?? '')]), through, passed)
    const lost = machine.trap('loses_rows')
    const left = ([table, count]: [string, number]) => (lost !== null && table.endsWith(lost) ? 0 : count)
    machine.out([...rows].map((pair) => `${pair[0]}\t${left(pair)}\n`).join(''))
    return 0
  }
  if (machine.trap('load_fails') !== null || !text.includes('\n-- Dump completed') || /^\* '$/m.test(text)) {
    machine.err('ERROR 1064 (42000) at line 1: You have an error in your SQL syntax\n')
    return 1
  }
  const state = readDump(text) ?? readRealDump(text)
  if (state) writeDatabase(machine, database, state)
  else put(machine.path(databaseFile(database)), JSON.stringify({ tables: Object.fromEntries(statementsIn(text)) }))
  put(kept, text)
  return 0
}
