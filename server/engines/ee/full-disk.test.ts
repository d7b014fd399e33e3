import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { scriptText, type EeScript } from './remote-script.ts'

/** The scripts that change configuration on servers, run by this machine's shell. */

const root = mkdtempSync(join(tmpdir(), 'ee-full-disk-'))
const domain = 'shop.example.com'
const site = `opt/easyengine/sites/${domain}/config`
const certificate = `opt/easyengine/services/nginx-proxy/certs/${domain}`
const state = 'var/lib/easydash'
/** What each file says before. */
const before: Readonly<Record<string, string>> = {
  [`${site}/nginx/custom/user.conf`]:
    '# By hand\n# easydash maintenance begin\nset $own 1;\n# easydash maintenance end\n',
  [`${site}/php/php/conf.d/custom.ini`]: 'display_errors = Off\n; easydash begin\nown = 1\n; easydash end\n',
  [`${certificate}.crt`]: 'certificate\n',
  [`${certificate}.key`]: 'key\n',
  [`${state}/keys/${domain}.pass`]: 'pass\n',
  [`${state}/keys/${domain}.key`]: 'password\n',
  [`${state}/keys/${domain}.hash`]: 'hash\n',
}
const config = Object.keys(before).filter((path) => !path.startsWith(state))

const programs: Readonly<Record<string, string>> = {
  // Leaves of a copy what has room: nothing.
  cp: 'case "$* " in *"$full "*) for to; do :; done; : > "$to"; exit 1 ;; esac; exec /bin/cp "$@"',
  ee: 'mkdir -p "$EASYDASH_ROOT/changed"; [ "${refuses-}" != ee ]',
  docker: '[ "$1" = ps ] && echo container; [ "$1 $refuses" != "exec nginx" ]',
  sqlite3: `case $* in *"select site_url"*) echo '[{"site_url":"${domain}"}]' ;; esac`,
}

beforeAll(async () => {
  await mkdir(join(root, 'bin'))
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(root, 'bin', name), `#!/bin/sh\n${text}\n`)
    await chmod(join(root, 'bin', name), 0o755)
  }
})
beforeEach(async () => {
  for (const name of ['opt', 'var', 'changed']) await rm(join(root, name), { recursive: true, force: true })
  const moved = { [`${state}/moves/aaaaaaaaaa`]: `old.example.com ${domain} yes begun\n` }
  const old = { [`opt/easyengine/sites/old.example.com/config/nginx/custom/user.conf`]: '# Of before\n' }
  // Of a change that was killed once.
  const stale = Object.fromEntries(config.map((path) => [`${path}.easydash`, 'stale\n']))
  for (const [path, content] of Object.entries({ ...before, ...moved, ...old, ...stale })) {
    await mkdir(join(root, dirname(path)), { recursive: true })
    await writeFile(join(root, path), content, { mode: 0o640 })
  }
})
afterAll(() => rm(root, { recursive: true, force: true }))

interface Run {
  readonly script: EeScript
  readonly args: readonly string[]
  readonly variables?: Readonly<Record<string, string>>
}

function run({ script, args, variables }: Run, { first = '', env = {} } = {}): number | null {
  const text = `${first}\n${scriptText(script, variables)}`
  const path = `${join(root, 'bin')}:/usr/bin:/bin`
  const { status } = spawnSync('/bin/sh', ['-c', text, 'sh', ...args], {
    env: { PATH: path, EASYDASH_ROOT: root, EASYDASH_STATE: join(root, state), full: 'nothing', ...env },
  })
  return status
}

const contents = async (paths: readonly string[]) =>
  Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), 'utf8').catch(() => null)])),
  )

const [conf, ini, crt, key] = config as [string, string, string, string]

interface Change extends Run {
  /** What it changes, in this order. */
  readonly files: readonly string[]
  /** What the first of these says then. */
  readonly becomes?: RegExp
  /** Who looks at it. Default: nginx. */
  readonly refusedBy?: 'ee'
}

const changes: Readonly<Record<string, Change>> = {
  limits: {
    script: 'limits',
    args: [domain, '512', '256'],
    files: [ini],
    becomes: /Off\n.+\n.*memory_limit = 512M/,
    refusedBy: 'ee',
  },
  maintenance: {
    ...{
      script: 'maintenance',
      args: [domain, 'maintenance'],
      files: [conf],
      becomes: /^# By hand\n.+\nset \$own 2;\n/,
    },
    variables: { rules: 'set $own 2;\n', pass: 'other' },
  },
  aliases: {
    ...{ script: 'aliases', args: [domain, '', ''], files: [conf], becomes: /^# By hand\n(?:.+\n){4}if .+www/ },
    variables: { wanted: 'www.shop.example.com redirect' },
  },
  certificate: {
    ...{ script: 'install-certificate', args: [domain], files: [crt, key], becomes: /^another\n$/ },
    variables: { certificate: 'another', key: 'its key' },
  },
  'lines of before': {
    ...{
      script: 'move',
      args: ['aaaaaaaaaa', 'configure', 'html'],
      files: [conf],
      becomes: /^# Of before\n# easydash/,
    },
  },
  leaving: { script: 'leave', args: [], files: [conf], becomes: /^# By hand\n$/ },
  'HTTP authentication': { script: 'http-auth', args: [domain, 'ada', 'x'], variables: { secret: 'a' }, files: [] },
}

test.each(Object.entries(changes))('a full disk loses nothing: %s', async (_, change) => {
  for (const file of change.files) {
    expect(run(change, { env: { full: `${file.split('/').at(-1)}.easydash.new` } }), file).not.toBe(0)
    expect(await contents(Object.keys(before)), file).toEqual(before)
  }
  // From here on writes fail, as on a disk that has no room at all.
  expect(run(change, { first: "trap '' 25; ulimit -f 0" })).not.toBe(0)
  expect(await contents(Object.keys(before))).toEqual(before)
  expect(existsSync(join(root, 'changed')), 'EasyEngine did nothing').toBe(false)
})

test.each(Object.entries(changes).flatMap(([name, change]) => (change.becomes ? [[name, change] as const] : [])))(
  'what a server does not take is put back, and else in place with its mode: %s',
  async (_, change) => {
    const [file = '', ...others] = change.files
    run(change, { env: { refuses: change.refusedBy ?? 'nginx' } })
    expect(await contents(config)).toEqual(Object.fromEntries(config.map((path) => [path, before[path]])))
    expect(run(change)).toBe(0)
    expect((await contents([file]))[file]).toMatch(change.becomes ?? '')
    for (const one of [file, ...others]) {
      expect((await stat(join(root, one))).mode & 0o777).toBe(0o640)
      for (const left of ['.new', '.easydash', '.easydash.new'])
        expect(existsSync(join(root, `${one}${left}`))).toBe(false)
    }
  },
)
