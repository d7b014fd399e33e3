import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { docker } from './docker.ts'
import { ee } from './ee.ts'
import { put, readIfThere, trapOf, type Machine, type TrapName } from './machine.ts'
import { rclone } from './rclone.ts'
import { sqlite3 } from './sqlite3.ts'

/** How a program ended. */
interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

interface RunOptions extends Partial<Pick<Machine, 'isTerminal' | 'looksForUpdates'>> {
  readonly input?: string
}

const programs = { ee, docker, rclone, sqlite3 }

/** A machine with EasyEngine whose programs run in this process. */
export function createTestMachine() {
  const root = mkdtempSync(join(tmpdir(), 'easydash-ee-'))
  const linesOf = (file: string) =>
    (readIfThere(join(root, 'var/lib/simulated', file)) ?? '').split('\n').filter((one) => one !== '')
  async function run(
    name: keyof typeof programs,
    argv: readonly string[],
    { input = '', isTerminal = false, looksForUpdates = false }: RunOptions = {},
  ): Promise<Ended> {
    const out: string[] = []
    const err: string[] = []
    const lines = input.split('\n')
    const machine: Machine = {
      root,
      path: (absolute) => (absolute.startsWith(`${root}/`) ? absolute : join(root, absolute)),
      trap: (trap) => trapOf(root, trap),
      out: (text) => void out.push(text),
      err: (text) => void err.push(text),
      ...{ isTerminal, looksForUpdates },
      readLine: () => lines.shift() || null,
      readInput: () => input,
    }
    const code = await programs[name](machine, argv)
    return { code, out: out.join(''), err: err.join('') }
  }
  const ofSite = (domain: string, service: string) =>
    run('docker', [
      'ps',
      '--filter',
      `label=io.easyengine.site=${domain}`,
      '--filter',
      `label=com.docker.compose.service=${service}`,
      '--format',
      '{{.ID}}',
    ])
  return {
    root,
    run,
    /** Runs `ee` with words separated by spaces. */
    ee: (words: string, options?: RunOptions) => run('ee', words.split(' '), options),
    /** Runs WP-CLI in a site. */
    wp: async (domain: string, argv: readonly string[], options?: { readonly input?: string }) => {
      const { out: container } = await ofSite(domain, 'php')
      return run(
        'docker',
        ['exec', '-i', '-u', 'www-data', '-w', '/var/www/htdocs', container.trim(), 'wp', ...argv],
        options,
      )
    },
    /** Makes a WordPress site. */
    site: (domain: string, ...options: readonly string[]) =>
      run('ee', [
        'site',
        'create',
        domain,
        '--type=wp',
        '--php=8.3',
        `--dbname=${domain.replaceAll(/\W/g, '')}`,
        ...options,
      ]),
    setTraps: (...traps: readonly (TrapName | `${TrapName}=${string}`)[]) =>
      put(join(root, 'var/lib/simulated/traps'), traps.join('\n')),
    violations: () => linesOf('violations.log'),
    effects: () => linesOf('effects.log'),
    /** A file of the machine; null if there is none. */
    read: (path: string) => readIfThere(join(root, path)),
    write: (path: string, content: string) => put(join(root, path), content),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
