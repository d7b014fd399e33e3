import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadFor } from '#server/documents/documents.ts'
import type { JobDefinition } from '#server/contracts/job.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import type { Session } from '#server/contracts/session.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { makeOrganization, startTestProcess, until, untilEnded, type TestProcess } from '#tests/support/jobs.ts'
import { systemSession } from './session.ts'

let attempts = 0
const resume = Promise.withResolvers<void>()
const definition: JobDefinition = {
  type: 'test.stubborn',
  label: () => 'Try',
  deadlineSeconds: 60,
  cancel: { possible: true },
  steps: async () => [
    {
      key: 'only',
      label: 'Only',
      async run() {
        attempts += 1
        if (attempts === 1) throw new AppError('unavailable', msg`Not today.`)
        await resume.promise
      },
    },
  ],
  async authorize({ session, referenceName }, tx) {
    const caller = { db: tx.trx, session, typeByName: typesByName(doctypes) }
    await loadFor(caller, OrganizationDoctype, referenceName, 'read')
  },
}

let flakyRuns = 0
const go = Promise.withResolvers<void>()
const flaky: JobDefinition = {
  type: 'test.flaky',
  label: () => 'Try',
  deadlineSeconds: 60,
  cancel: { possible: true },
  steps: async () => [
    {
      key: 'only',
      label: 'Only',
      async run() {
        flakyRuns += 1
        if (flakyRuns === 1) throw new AppError('unavailable', msg`The server does not answer.`, { retryable: true })
        await go.promise
      },
    },
  ],
}

let database: TestDatabase
let running: TestProcess
let owner: Session
beforeAll(async () => {
  database = await createProductDatabase()
  running = await startTestProcess(database.database, { definitions: [definition, flaky] })
  owner = await makeOrganization(running.documents, 'acme')
})
afterAll(async () => {
  resume.resolve()
  go.resolve()
  await running?.stop()
  await database?.drop()
})

async function admin(email: string): Promise<Session> {
  await running.documents.transaction(systemSession(), async (tx) => {
    await tx.insert(UserDoctype, { email, first_name: 'A', roles: ['Easydash User'], email_verified: 1, enabled: 1 })
    await tx.insert(OrganizationMemberDoctype, {
      parent: 'acme',
      parenttype: 'Organization',
      parentfield: 'members',
      user: email,
      organization_role: 'Organization Admin',
    })
  })
  return sessionOf(email, 'acme')
}

test('many concurrent retries of a job do not exhaust the connection pool', async () => {
  const job = await running.documents.transaction(owner, (tx) =>
    running.jobs.enqueue(tx, {
      type: 'test.stubborn',
      organization: 'acme',
      reference_doctype: 'Organization',
      reference_name: 'acme',
      reference_title: 'acme',
    }),
  )
  expect((await untilEnded(running.documents, job)).status).toBe('Failed')
  const admins: Session[] = []
  for (let n = 0; n < 6; n += 1) admins.push(await admin(`admin${n}@acme.example`))
  // Each has four calls at once; together they have more than there are connections.
  const retries = admins.flatMap((session) =>
    Array.from({ length: 4 }, () => running.documents.runAction(session, 'Job', job, 'retry', {})),
  )
  const results = await Promise.allSettled(retries)
  const rejections = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  expect(rejections).toHaveLength(23)
  for (const rejection of rejections) expect(rejection).toMatchObject({ code: 'invalid' })
})

test('a step that is tried again says so until it has ended', async () => {
  const name = await running.documents.transaction(owner, (tx) =>
    running.jobs.enqueue(tx, {
      type: 'test.flaky',
      organization: 'acme',
      reference_doctype: 'Organization',
      reference_name: 'acme',
      reference_title: 'acme',
    }),
  )
  const job = await until(running.documents, JobDoctype, name, (doc) => Boolean(doc?.steps?.[0]?.retry))
  expect(job?.status).toBe('Running')
  expect(job?.steps?.[0]).toMatchObject({
    status: 'Running',
    retry: { attempt: 2, of: 5, reason: 'The server does not answer.' },
  })
  go.resolve()
  const done = await untilEnded(running.documents, name)
  expect(done.steps?.[0]).toMatchObject({ status: 'Done', retry: null })
})
