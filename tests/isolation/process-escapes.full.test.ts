import { fork } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SandboxKind } from '#server/engines/local/sandbox/sandbox.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { attemptNames } from './attacker.ts'
import { attackUnsandboxed, attackSite, type AttackOutcome } from './attack-scenario.ts'

/*
 * The second isolation boundary: JavaScript of an attacker in a site's process. Whoever leaves PHP-WASM must find nothing there.
 */

const kinds: SandboxKind[] = ['none', 'namespaces', 'bubblewrap']

/** Any account but root's; none of its own files matter. */
const ordinaryUser = 54_321

let database: TestDatabase
let postgres: string
beforeAll(async () => {
  database = await createProductDatabase()
  const { host, port } = database.connection
  postgres = `${host}/.s.PGSQL.${port}`
})
afterAll(() => database.drop())

function expectNoAccess({ results, connections, written }: AttackOutcome): void {
  expect(Object.keys(results).sort()).toEqual([...attemptNames].sort())
  expect(Object.entries(results).filter(([, result]) => result.startsWith('GOT'))).toEqual([])
  expect(written).toEqual([])
  expect(connections).toBe(0)
}

describe('the attacker', () => {
  it('gets everything without isolation', async () => {
    const { results, connections, written } = await attackUnsandboxed(postgres)
    expect(Object.entries(results).filter(([, result]) => !result.startsWith('GOT'))).toEqual([])
    expect(written.sort()).toEqual(['keys.db', 'touched', 'written'])
    expect(connections).toBeGreaterThan(0)
  })
})

describe.each(kinds)('behind the sandbox %s', (kind) => {
  it('gets nothing, as the user who started the dashboard', async (context) => {
    const outcome = await attackSite(kind, postgres)
    if (outcome === null) context.skip(`This machine has no sandbox of the kind ${kind}.`)
    else expectNoAccess(outcome)
  })

  it.runIf(process.getuid?.() === 0)('gets nothing where the dashboard runs as an ordinary user', async (context) => {
    if (!isOpenToAll(fileURLToPath(import.meta.url))) {
      context.skip('The folder of the code is closed to other users.')
      return
    }
    const child = fork(fileURLToPath(new URL('./attack-as-user.ts', import.meta.url)), [kind, postgres], {
      uid: ordinaryUser,
      gid: ordinaryUser,
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', npm_config_registry: 'http://127.0.0.1:9' },
      cwd: '/',
    })
    const [outcome] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`The scenario ended with ${String(code)}.`))),
    ])) as [AttackOutcome | null]
    await once(child, 'exit')
    if (outcome === null) context.skip(`This machine has no sandbox of the kind ${kind}.`)
    else expectNoAccess(outcome)
  })
})

function isOpenToAll(path: string): boolean {
  for (let at = dirname(path); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}
