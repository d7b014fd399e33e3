import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { loadConfig } from '../config/config.ts'
import { secretSettings } from '../config/config-settings.ts'
import { addKey, dropOldKeys, loadKeyring, settingOf } from './keyring-source.ts'
import type { Log } from '../log/log.ts'
import { silentLog } from '../log/log.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'keyring-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(dataDir, { recursive: true })
})

const key = (version: number, fill: number) => `v${version}:${Buffer.alloc(32, fill).toString('base64')}`
const source = (more: object = {}) => ({ secretKeys: null, dataDir, ...more })
const own = () => join(dataDir, 'keys')

describe('the file of the data folder', () => {
  test.each([0o644, 0o640, 0o604, 0o666, 0o660])('open to others (%o) it is closed, with a warning', async (mode) => {
    await writeFile(own(), key(1, 1))
    await chmod(own(), mode)
    const warnings: unknown[] = []
    const log: Log = { ...silentLog, warn: (text, fields) => void warnings.push([text, fields]) }
    expect((await loadKeyring(source(), true, log)).versions).toEqual([1])
    expect(statSync(own()).mode & 0o777).toBe(0o600)
    expect(warnings).toEqual([
      [expect.stringContaining('run "keys rotate"'), { path: own(), mode: mode.toString(8).padStart(4, '0') }],
    ])
    expect(await loadKeyring(source(), true, log)).toBeTruthy()
    expect(warnings).toHaveLength(1)
  })

  test('a link is not followed, and what it leads to stays as it is', async () => {
    const elsewhere = join(dataDir, 'elsewhere')
    await writeFile(elsewhere, key(1, 1), { mode: 0o644 })
    await symlink(elsewhere, own())
    await expect(loadKeyring(source())).rejects.toMatchObject({
      name: 'StartupError',
      message: `The key file ${own()} is a link.`,
      nextAction: expect.stringContaining('EASYDASH_SECRET_KEYS_FILE'),
    })
    await expect(addKey(source())).rejects.toMatchObject({ name: 'StartupError' })
    expect(statSync(elsewhere).mode & 0o777).toBe(0o644)
  })

  test('rejects a folder, a pipe or a huge file as key file', async () => {
    await mkdir(own())
    await expect(loadKeyring(source())).rejects.toMatchObject({ message: expect.stringContaining('not a plain file') })
    await rm(own(), { recursive: true })
    execFileSync('env', ['mkfifo', own()])
    await expect(loadKeyring(source())).rejects.toMatchObject({ message: expect.stringContaining('not a plain file') })
    await rm(own())
    await writeFile(own(), 'v'.repeat(100_000), { mode: 0o600 })
    await expect(loadKeyring(source())).rejects.toMatchObject({ message: expect.stringContaining('not a plain file') })
  })

  test.runIf(process.getuid?.() === 0)('where its permissions cannot be changed it is refused', async () => {
    await writeFile(own(), key(1, 1), { mode: 0o644 })
    await chmod(dataDir, 0o755)
    const module = JSON.stringify(new URL('./keyring-source.ts', import.meta.url).href)
    const script = `import { loadKeyring } from ${module}
      await loadKeyring(${JSON.stringify(source())}).catch((error) => console.log(error.message, error.nextAction))`
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { uid: 1, gid: 1, cwd: '/' })
    expect(output.toString()).toContain('can be read or changed by other users of this system (mode 0644)')
    expect(output.toString()).toContain(`chmod 600 ${own()}`)
    expect(statSync(own()).mode & 0o777).toBe(0o644)
    await chown(own(), 1, 1)
    await chmod(own(), 0o600)
    expect((await loadKeyring(source())).versions).toEqual([1])
  })
})

describe('a file that a setting names', () => {
  test('is read, also through a link; nothing is generated instead', async () => {
    const secret = join(dataDir, 'secret')
    await writeFile(secret, `${key(2, 2)},${key(1, 1)}\n`)
    const link = join(dataDir, 'link')
    await symlink(secret, link)
    const named = source({ secretKeysFile: link })
    expect((await loadKeyring(named)).versions).toEqual([2, 1])
    await dropOldKeys(named)
    expect((await loadKeyring(named)).versions).toEqual([2, 1])
    await expect(addKey(named)).rejects.toMatchObject({
      message: expect.stringContaining('EASYDASH_SECRET_KEYS_FILE'),
    })
    await rm(secret)
    await expect(loadKeyring(named)).rejects.toMatchObject({
      name: 'StartupError',
      message: `The key file ${link} is missing.`,
    })
    expect(await readdir(dataDir)).toEqual(['link'])
    await writeFile(secret, 'v1:nothing')
    await expect(loadKeyring(named)).rejects.toMatchObject({ message: expect.stringContaining('is damaged') })
  })

  test("systemd's credential counts as one, unless a setting says otherwise", async () => {
    const env = { CREDENTIALS_DIRECTORY: dataDir, EASYDASH_DATA_DIR: join(dataDir, 'data') }
    expect(loadConfig(env, dataDir).secretKeysFile).toBe(null)
    const credential = join(dataDir, 'easydash-keys')
    await writeFile(credential, key(3, 3), { mode: 0o440 })
    const config = loadConfig(env, dataDir)
    expect(config.secretKeysFile).toBe(credential)
    expect((await loadKeyring(config)).versions).toEqual([3])
    expect(settingOf(loadConfig({ ...env, EASYDASH_SECRET_KEYS: key(1, 1) }, dataDir))).toBe('EASYDASH_SECRET_KEYS')
    expect(loadConfig({ ...env, EASYDASH_SECRET_KEYS_FILE: '/x' }, dataDir).secretKeysFile).toBe('/x')
  })

  test('rejects two settings together', () => {
    const env = { EASYDASH_SECRET_KEYS: key(1, 1), EASYDASH_SECRET_KEYS_COMMAND: 'security' }
    expect(() => loadConfig(env, dataDir)).toThrow(
      'Only one of EASYDASH_SECRET_KEYS and EASYDASH_SECRET_KEYS_COMMAND can hold the key ring.',
    )
  })
})

describe('a program that queries the keyring service', () => {
  /** Creates a program with this name, first in PATH. */
  async function program(name: string, body: string): Promise<void> {
    const bin = join(dataDir, 'bin')
    await mkdir(bin, { recursive: true })
    await writeFile(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
    vi.stubEnv('PATH', `${bin}${delimiter}${process.env['PATH']}`)
  }
  const load = (text: string) =>
    loadKeyring(loadConfig({ EASYDASH_SECRET_KEYS_COMMAND: text, EASYDASH_DATA_DIR: dataDir }, dataDir))

  test('of macOS, of a Linux desktop: its words reach it as they are, and no shell', async () => {
    await program('security', `[ "$*" = "find-generic-password -s easydash -w" ] && echo '${key(1, 4)}'`)
    expect((await load('security find-generic-password -s easydash -w')).versions).toEqual([1])
    await program(
      'secret-tool',
      `[ $# = 2 ] && [ "$2" = 'easy dash; $(touch ${dataDir}/shell)' ] && echo '${key(2, 5)}'`,
    )
    const words = ['secret-tool', 'lookup', `easy dash; $(touch ${dataDir}/shell)`]
    expect((await load(JSON.stringify(words))).versions).toEqual([2])
    expect(existsSync(join(dataDir, 'shell'))).toBe(false)
    expect(existsSync(own())).toBe(false)
  })

  test.each([
    ['ends with code 3', `echo '${key(1, 6)}'; echo canary-from-stderr >&2; exit 3`, 'ended with code 3'],
    ['prints something else', 'echo canary-from-stdout', 'printed something else than a key ring'],
    ['prints without end', "yes '" + key(1, 6) + "'", 'could not be run'],
  ])('that %s is named, and what it printed is not shown', async (_what, body, words) => {
    await program('security', body)
    const error: Error & { nextAction?: string; cause?: unknown } = await load('security -w').then(
      () => new Error('was accepted'),
      (failure: Error) => failure,
    )
    expect(error.name).toBe('StartupError')
    expect(error.message).toBe(
      `The program "security" of EASYDASH_SECRET_KEYS_COMMAND ${words}${words.endsWith('run') ? ' (ERR_CHILD_PROCESS_STDIO_MAXBUFFER)' : ''}.`,
    )
    const shown = `${error.message} ${error.nextAction} ${String(error.cause)} ${JSON.stringify(error.cause)}`
    expect(shown).not.toMatch(/canary/)
    expect(shown).not.toContain(key(1, 6).slice(3))
  })

  test('that is not there is named', async () => {
    vi.stubEnv('PATH', dataDir)
    await expect(load('no-such-keyring-program')).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringContaining('could not be run (ENOENT)'),
    })
  })
})

/** A mail server is named in one of two ways. */
const mailServers = [
  { SMTP_URL: 'smtp://ann:canary-password@mail.example.com' },
  { SMTP_HOST: 'mail.example.com', SMTP_USER: 'ann', SMTP_PASSWORD: 'canary-password' },
]
const otherSecrets = () => ({
  EASYDASH_SECRET_KEYS: key(1, 7),
  DATABASE_URL: 'postgresql://ann:canary-password@127.0.0.1/x',
  EASYDASH_METRICS_TOKEN: 'canary-password',
  EASYDASH_LOCAL_MYSQL_URL: 'mysql://ann:canary-password@127.0.0.1',
  STRIPE_SECRET_KEY: 'sk_test_canarypassword',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_canarypassword',
})

test('every secret setting is among those that the next test sets', () => {
  const names = [otherSecrets(), ...mailServers].flatMap((env) => Object.keys(env))
  expect(names).toEqual(expect.arrayContaining([...secretSettings]))
})

test.each(mailServers)('after the start no secret setting is in the environment, and no child inherits one', (mail) => {
  const env = { PATH: process.env['PATH'], EASYDASH_DATA_DIR: dataDir, ...otherSecrets(), ...mail }
  const module = JSON.stringify(new URL('../config/config.ts', import.meta.url).href)
  const script = `import { describeConfig, loadOwnConfig } from ${module}
    import { execFileSync } from 'node:child_process'
    const config = loadOwnConfig()
    console.log(JSON.stringify([process.env, execFileSync('env').toString(), config.secretKeys, describeConfig(config)]))`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { env, cwd: dataDir }).toString()
  const [own, inherited, kept, described] = JSON.parse(output) as [object, string, string, { name: string }[]]
  for (const text of [JSON.stringify(own), inherited, JSON.stringify(described)]) {
    expect(text).not.toMatch(/canary-?password/)
    expect(text).not.toContain(key(1, 7).slice(3))
  }
  expect(kept).toBe(key(1, 7))
  expect(described.find(({ name }) => name === 'EASYDASH_SECRET_KEYS')).toMatchObject({ source: 'environment' })
})
