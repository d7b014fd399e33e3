import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import type { CodeMutant } from './mutant-types.ts'
import { codeMutants, idleCalls } from './mutants.ts'

const long = process.env['EASYDASH_TEST_LONG'] === '1'
const root = new URL('../../', import.meta.url)
const source = (file: string) => readFileSync(new URL(file, root), 'utf8')

/** Runs the suite on the mutated product; returns the case that failed, or null. */
function run(mutant: CodeMutant, server: Pick<TestDatabase, 'connection' | 'superuser'>): Promise<string | null> {
  const env = {
    ...process.env,
    EASYDASH_MUTANT: JSON.stringify({ ...mutant, first: mutant.first?.source }),
    EASYDASH_MUTANT_POSTGRES: JSON.stringify({ connection: server.connection, superuser: server.superuser }),
  }
  const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', file('mutate-hook.ts'), file('mutant-run.ts')], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    let complaint = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
    child.once('error', reject)
    child.once('exit', (code) => {
      if (code === 0) resolve(null)
      else if (code === 1 && said !== '') resolve(said.trim())
      else reject(new Error(`The mutant "${mutant.what}" could not be tried: ${complaint.slice(-2000)}`))
    })
  })
}

test('each change of the code still finds the one place it is about', () => {
  const changes = codeMutants.flatMap(({ what, also, ...own }) => [
    { what, ...own },
    ...(also ? [{ what, ...also }] : []),
  ])
  const lost = changes.filter(({ file, find }) => source(file).split(find).length !== 2)
  expect(lost.map(({ what, file }) => `${what}: ${file}`)).toEqual([])
})

describe('calls of the gate', () => {
  /** Names of deciding functions, and the files in which every call of them has a mutant. */
  const deciding =
    /\b(?:loadFor|listScope|holds|holdsForNew|checkLinks|checkAccess|mayRead|canRead|tenantSql|writableValues|refuseGuest|fieldWrite|sameTenant|withReadableValues|readableValues)\(/
  const files = [
    'server/documents/documents.ts',
    'server/documents/store/creation.ts',
    'server/documents/permissions/permission-bits.ts',
    'server/documents/permissions/links.ts',
    'server/documents/store/actions.ts',
    'server/documents/permissions/access.ts',
    'server/documents/permissions/rule-sql.ts',
    'server/documents/query/lists.ts',
    'server/documents/query/described-values.ts',
    'server/features/files/attach.ts',
    'server/features/files/files.ts',
    'server/features/organizations/organization-actions.ts',
    'server/features/organizations/list-members.ts',
    'server/wire/sockets/subscriptions.ts',
  ]
  /** Lines that decide nothing by themselves. */
  const aside = [
    /^\s*(?:export )?(?:async )?function /,
    /^\s*const mayRead = /,
    /return type \? allowed/,
    /^\s*async canRead/,
  ]

  test.each(files)('%s', (file) => {
    const removed = [
      ...codeMutants.filter((one) => one.file === file).map(({ find }) => find),
      ...idleCalls.filter((one) => one.file === file).map(({ line }) => line),
    ]
    const calls = source(file)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => deciding.test(line) && !aside.some((pattern) => pattern.test(line)))
    const kept = calls.filter(
      (line) => !removed.some((find) => line.includes(find) || find.includes(line) || shares(find, line)),
    )
    expect(kept).toEqual([])
  })
})

test('no link can be changed after creation', () => {
  const written = doctypes.filter(({ permissions }) => Object.values(permissions).some(({ write }) => write))
  const links = written.flatMap((type) =>
    Object.entries(type.fields)
      .filter(([, one]) => one.fieldtype === 'Link' && !one.server_owned && !one.read_only && !one.set_only_once)
      .map(([name]) => `${type.name}.${name}`),
  )
  expect(links).toEqual([])
})

/** Whether a multi-line mutant contains the call on a line. */
function shares(find: string, line: string): boolean {
  return find.split('\n').some((part) => part.trim() !== '' && line.includes(part.trim()))
}

/** Two mutants to check that the harness works; all of them in the long run. */
const tried = long
  ? codeMutants
  : codeMutants.filter(({ what }) => what === 'the bits of shares' || what === 'secrets in clear')

test.each(tried.map((one) => [one.what, one] as const))(
  'without %s the suite turns red',
  async (_what, mutant) => {
    const database = await createProductDatabase()
    try {
      const noticed = await run(mutant, database)
      if (long) process.stdout.write(`without ${mutant.what}: ${noticed?.slice(0, 160)}\n`)
      expect(noticed, `unnoticed: ${mutant.what} (${mutant.file})`).not.toBeNull()
    } finally {
      await database.drop()
    }
  },
  600_000,
)
