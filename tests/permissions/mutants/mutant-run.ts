/**
 * Runs the permission suite on the product with one mutant after the other (`mutate-hook.ts`), each until the first failure.
 * Takes the names of mutants as JSON from `EASYDASH_MUTANTS_TRIED` and writes a line of JSON for each: the case that failed, or
 * null. Exits with 2 if the suite couldn't run: a change that only breaks the program proves nothing.
 */
import pg from 'pg'
import { randomBytes } from 'node:crypto'
import type { PostgresConnection } from '#server/platform/postgres/postgres.ts'
import type { Case } from '../cases.ts'
import { readMatrix } from '../matrix.ts'
import { openSuiteProduct, type SuiteProduct } from '../product.ts'
import { trySocketsOfAll } from '../sockets.ts'
import { allCases, runCases, shuffled, type Failure } from '../suite.ts'
import { openTestContext, type TestContext } from '../test-context.ts'
import { codeMutants } from './all-mutants.ts'
import type { CodeMutant } from './mutant.ts'
import { activateMutant, unchanged } from './mutate-hook.ts'

/** Number of assertions after which a mutant counts as undetected. */
const most = 9000

/** Cases that show whether everyone still has their original rights. */
const lasting = / R (?:Site\/own|Server\/dev|Organization\/acme|User\/member) through resource:/

/** Errors of a program that is broken rather than too open. */
const isBroken = /\b(?:Reference|Syntax|Type)Error\b|is not defined|is not a function|Cannot read prop/

/** The product's role, and the one that creates databases. */
const { connection: server, superuser } = JSON.parse(process.env['EASYDASH_MUTANT_POSTGRES'] ?? '{}') as {
  connection: PostgresConnection
  superuser: PostgresConnection
}

/** Product and people on a database of their own, and the cases in the order in which they are tried. */
interface Suite {
  readonly product: SuiteProduct
  readonly context: TestContext
  readonly cases: readonly Case[]
  close(): Promise<void>
}

const tried = new Set(JSON.parse(process.env['EASYDASH_MUTANTS_TRIED'] ?? '[]') as string[])
let suite = await openSuite()
if (unchanged.size > 0) throw new Error(`The product does not import ${[...unchanged].join(', ')}.`)
try {
  let isFresh = true
  for (const mutant of codeMutants.filter(({ what }) => tried.has(what))) {
    let failure = await attempt(mutant)
    let isWhole = await passesWithoutMutant(failure)
    // Where the case fails without the mutant as well, an earlier mutant may have done the harm.
    if (!isWhole && !isFresh) {
      await reopen()
      failure = await attempt(mutant)
      isWhole = await passesWithoutMutant(failure)
    }
    if (!isWhole) await reopen()
    isFresh = !isWhole
    const noticed = failure && `${failure.title} → ${failure.found.slice(0, 200)}`
    process.stdout.write(`${JSON.stringify({ what: mutant.what, noticed })}\n`)
  }
} finally {
  await suite.close()
}
process.exit(0)

/** The first case that fails with a mutant; null if none does. */
async function attempt(mutant: CodeMutant): Promise<Failure | null> {
  const { context, product, cases } = suite
  const before = product.defects.length
  activateMutant(mutant.what)
  try {
    const failure = mutant.sockets ? await socketFailure(context) : await caseFailure(context, cases, mutant)
    const broken = [...product.defects.slice(before), failure?.found ?? ''].find((one) => isBroken.test(one))
    if (broken) throw new Error(`The program fails with the mutant "${mutant.what}": ${broken.slice(0, 800)}`)
    return failure
  } finally {
    activateMutant(null)
  }
}

async function caseFailure(
  context: TestContext,
  cases: readonly Case[],
  { first }: CodeMutant,
): Promise<Failure | null> {
  const isNear = (one: Case) => first?.test(one.title) === true
  const order = [...cases.filter(isNear), ...cases.filter((one) => !isNear(one))]
  const [failure] = await runCases(context, order.slice(0, most), 1)
  return failure ?? null
}

async function socketFailure(context: TestContext): Promise<Failure | null> {
  const { failures } = await trySocketsOfAll(context, readMatrix())
  return failures[0] ?? null
}

/** Whether everything is as before without the mutant. */
async function passesWithoutMutant(failure: Failure | null): Promise<boolean> {
  if (!failure) return true
  const { context, cases } = suite
  const again = cases.filter(({ title }) => title === failure.title || lasting.test(title))
  return (await runCases(context, again, 1)).length === 0
}

async function reopen(): Promise<void> {
  await suite.close()
  suite = await openSuite()
}

async function openSuite(): Promise<Suite> {
  const name = `mutant_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name} owner ${server.user} template template0`)
  const product = await openSuiteProduct({ ...server, database: name })
  return {
    product,
    context: await openTestContext(product),
    cases: shuffled(allCases(product.methods), 7),
    async close() {
      await product.close()
      await administer(`drop database if exists ${name} with (force)`)
    },
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
