/**
 * Runs the permission suite on the product changed by `mutate-hook.ts`, until the first failure. Exits with 0 if nothing
 * failed, 1 if a case failed (the last line of stdout names it), 2 if the suite couldn't run: a change that only breaks the
 * program proves nothing.
 */
import pg from 'pg'
import { randomBytes } from 'node:crypto'
import type { PostgresConnection } from '#server/platform/postgres/postgres.ts'
import { readMatrix } from './matrix.ts'
import type { CodeMutant } from './mutant-types.ts'
import { openSuiteProduct } from './product.ts'
import { trySocketsOfAll } from './sockets.ts'
import { allCases, runCases, shuffled } from './suite.ts'
import { openWorld } from './world.ts'

/** Number of assertions after which a mutant counts as undetected. */
const most = 9000

const mutant = JSON.parse(process.env['EASYDASH_MUTANT'] ?? '{}') as Partial<CodeMutant> & { first?: string }
/** The product's role, and the one that creates databases. */
const { connection: server, superuser } = JSON.parse(process.env['EASYDASH_MUTANT_POSTGRES'] ?? '{}') as {
  connection: PostgresConnection
  superuser: PostgresConnection
}

const name = `mutant_${randomBytes(6).toString('hex')}`
await administer(`create database ${name} owner ${server.user} template template0`)
let code = 2
try {
  const noticed = await attempt()
  process.stdout.write(`${noticed ?? 'unnoticed'}\n`)
  code = noticed === null ? 0 : 1
} finally {
  await administer(`drop database if exists ${name} with (force)`)
}
process.exit(code)

async function attempt(): Promise<string | null> {
  const product = await openSuiteProduct({ ...server, database: name })
  try {
    const world = await openWorld(product)
    if (mutant.sockets) {
      const { failures } = await trySocketsOfAll(world, readMatrix())
      return failures[0] ? `${failures[0].title} → ${failures[0].found}` : null
    }
    const first = mutant.first ? new RegExp(mutant.first) : null
    const all = shuffled(allCases(product.methods), 7)
    const near = first ? all.filter((one) => first.test(one.title)) : []
    const far = all.filter((one) => !near.includes(one))
    const [failure] = await runCases(world, [...near, ...far].slice(0, most), 1)
    const broken = product.defects.find((one) => /\b(?:Reference|Syntax|Type)Error\b/.test(one))
    if (broken) throw new Error(`The changed program fails: ${broken.slice(0, 500)}`)
    return failure ? `${failure.title} → ${failure.found.slice(0, 200)}` : null
  } finally {
    await product.close()
  }
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ ...superuser, database: 'postgres' })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
