import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { Session } from '#server/contracts/session.ts'
import { msg } from '#shared/localized-message.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { makeOrganization, startTestProcess, untilEnded, type TestProcess } from '#tests/support/jobs.ts'
import { systemSession } from './session.ts'
import type { JobDefinition } from '#server/contracts/job.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

const calls: string[] = []
/** Runs while the job works, before its destructive step. */
let meanwhile: () => Promise<unknown> = () => Promise.resolve()

let database: TestDatabase
let running: TestProcess
let owner: Session

const definition: JobDefinition = {
  type: 'test.guarded',
  label: () => 'Take it away',
  deadlineSeconds: 30,
  cancel: { possible: true },
  steps: async () => [
    {
      key: 'prepare',
      label: 'Prepare',
      async run() {
        calls.push('prepare')
        await meanwhile()
      },
    },
    { key: 'remove', label: 'Remove', destructive: true, run: async () => void calls.push('remove') },
  ],
  async authorize({ session, referenceName }) {
    calls.push('authorize')
    const may = await running.documents.permissions(session, 'Site', referenceName)
    if (may.delete !== 1) throw new AppError('forbidden', msg`Not any more.`, { nextAction: msg`Ask an admin.` })
  },
}

beforeAll(async () => {
  database = await createProductDatabase()
  running = await startTestProcess(database.database, { definitions: [definition] })
  owner = await makeOrganization(running.documents, 'acme')
})
afterAll(async () => {
  await running?.stop()
  await database?.drop()
})
afterEach(() => {
  calls.length = 0
  meanwhile = () => Promise.resolve()
})

async function begin(domain: string, by: Session): Promise<string> {
  const site = await running.documents.transaction(systemSession(), (tx) =>
    tx.insert(
      SiteDoctype,
      { organization: 'acme', domain, server: 'none', engine: 'fake', engine_host: 'fake:1' },
      { owner: owner.user },
    ),
  )
  return running.documents.transaction(by, (tx) =>
    running.jobs.enqueue(tx, {
      type: 'test.guarded',
      organization: 'acme',
      reference_doctype: 'Site',
      reference_name: site.name,
      reference_title: domain,
    }),
  )
}

/** A manager and the name of their member row. */
async function manager(email: string): Promise<{ session: Session; row: string }> {
  const values = { parent: 'acme', parentfield: 'members', parenttype: 'Organization', user: email }
  const row = await running.documents.transaction(systemSession(), async (tx) => {
    const user = { email, first_name: 'Max', enabled: 1, email_verified: 1, roles: ['Easydash User'] }
    await tx.insert('User', user)
    return tx.insert(OrganizationMemberDoctype, {
      ...values,
      organization_role: 'Organization Manager',
    })
  })
  return { session: sessionOf(email, 'acme'), row: row.name }
}

test('an irreversible step checks permissions again right before it runs', async () => {
  const job = await begin('allowed', owner)
  expect(await untilEnded(running.documents, job)).toMatchObject({ status: 'Done' })
  expect(calls).toEqual(['authorize', 'prepare', 'authorize', 'remove'])
})

test.each([
  ['disabled', { doctype: 'User', values: { enabled: 0 } }],
  ['demoted', { doctype: 'Organization Member', values: { organization_role: 'Organization User' } }],
  ['removed', { doctype: 'Organization Member', values: null }],
])('does not start for a user who was %s during the job; an admin can continue', async (what, { doctype, values }) => {
  const { session, row } = await manager(`${what}@acme.example`)
  const name = doctype === 'User' ? session.user : row
  meanwhile = () =>
    running.documents.transaction(systemSession(), async (tx) => {
      await (values ? tx.update(doctype, name, values) : tx.delete(doctype, name))
    })
  const job = await begin(what, session)
  const ended = await untilEnded(running.documents, job)
  expect(ended).toMatchObject({ status: 'Failed', error_code: 'forbidden', owner: session.user })
  expect(ended.steps?.map((step) => step.status)).toEqual(['Done', 'Failed'])
  expect(calls).not.toContain('remove')
  // A retried job runs with the rights of the user who retries it, not of the one who started it.
  await running.documents.runAction(owner, 'Job', job, 'retry', {})
  expect(await untilEnded(running.documents, job)).toMatchObject({ status: 'Done', owner: owner.user })
  expect(calls.at(-1)).toBe('remove')
})
