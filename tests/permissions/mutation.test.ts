import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { codeMutants } from './mutants/all-mutants.ts'
import { switchable } from './mutants/apply-change.ts'
import { callingModules, decidingModules, moduleText, unchangedCalls, unchangedFunctions } from './mutants/coverage.ts'
import type { CodeMutant } from './mutants/mutant.ts'
import { shuffled } from './suite.ts'

const long = process.env['EASYDASH_TEST_LONG'] === '1'

/** Runs the suite with mutants, one after the other. Returns for each the case that failed, or null. */
function run(
  mutants: readonly CodeMutant[],
  server: Pick<TestDatabase, 'connection' | 'superuser'>,
): Promise<Map<string, string | null>> {
  const env = {
    ...process.env,
    EASYDASH_MUTANTS_TRIED: JSON.stringify(mutants.map(({ what }) => what)),
    EASYDASH_MUTANT_POSTGRES: JSON.stringify({ connection: server.connection, superuser: server.superuser }),
  }
  const file = (name: string) => join(import.meta.dirname, 'mutants', name)
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', file('mutate-hook.ts'), file('mutant-run.ts')], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const outcomes = new Map<string, string | null>()
    let complaint = ''
    createInterface(child.stdout).on('line', (line) => {
      const { what, noticed } = JSON.parse(line) as { what: string; noticed: string | null }
      outcomes.set(what, noticed)
      if (long) process.stdout.write(`without ${what}: ${noticed?.slice(0, 160)}\n`)
    })
    child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(outcomes)
      else reject(new Error(`The mutants could not be tried: ${complaint.slice(-2000)}`))
    })
  })
}

test('each mutant matches exactly one location', () => {
  const lost = codeMutants.flatMap((mutant) =>
    [...new Set(mutant.changes.map(({ module }) => module))].flatMap((module) => {
      try {
        return switchable(module, moduleText(module), [mutant]).length > 0 ? [] : [module]
      } catch (error) {
        return [`${mutant.what}: ${error instanceof Error ? error.message : String(error)}`]
      }
    }),
  )
  expect(lost).toEqual([])
  expect(new Set(codeMutants.map(({ what }) => what)).size).toBe(codeMutants.length)
})

describe('every function that decides has a mutant, or a reason to have none', () => {
  test.each(decidingModules)('%s', (module) => expect(unchangedFunctions(module)).toEqual([]))
})

describe('every call of the gate has a mutant, or a reason to have none', () => {
  test.each(callingModules)('%s', (module) => expect(unchangedCalls(module)).toEqual([]))
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

/** All mutants in the long run; otherwise a sample, without sockets. */
const only = new RegExp(process.env['EASYDASH_MUTANTS'] ?? '')
const tried = long
  ? codeMutants.filter(({ what }) => only.test(what))
  : shuffled(
      codeMutants.filter(({ sockets }) => !sockets),
      20_261_122,
    ).slice(0, 3)

test('without any of them the suite turns red', async () => {
  const database = await createProductDatabase()
  try {
    const outcomes = await run(tried, database)
    expect(tried.filter(({ what }) => typeof outcomes.get(what) !== 'string').map(({ what }) => what)).toEqual([])
  } finally {
    await database.drop()
  }
}, 3_600_000)
