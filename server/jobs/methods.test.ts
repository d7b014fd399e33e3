import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { makeOrganization, startTestProcess, untilEnded, type TestProcess } from '#tests/support/jobs.ts'

let database: TestDatabase
let running: TestProcess
let owner: Session

beforeAll(async () => {
  database = await createProductDatabase()
  running = await startTestProcess(database.database, {
    definitions: [
      {
        type: 'test.talk',
        label: () => 'Talk',
        deadlineSeconds: 30,
        cancel: { possible: true },
        steps: async () => [
          {
            key: 'talk',
            label: 'Talk',
            run: async ({ log }) => {
              for (let n = 1; n <= 1500; n += 1) log(`line ${n}`)
            },
          },
        ],
      },
    ],
  })
  owner = await makeOrganization(running.documents, 'acme')
})
afterAll(async () => {
  await running?.stop()
  await database?.drop()
})

interface LogPage {
  lines: { n: number; text: string }[]
  cursor: number
  done: boolean
}

test('returns the log by cursor, in pages, only to users who can read the job, and marks its end', async () => {
  const job = await running.documents.transaction(owner, (tx) =>
    running.jobs.enqueue(tx, {
      type: 'test.talk',
      organization: 'acme',
      reference_doctype: 'Organization',
      reference_name: 'acme',
      reference_title: 'acme',
    }),
  )
  await untilEnded(running.documents, job)
  const method = running.jobs.methods?.[0]
  const call = (session: Session, params: Record<string, unknown>) =>
    method?.run(params, { session, documents: running.documents } as never) as Promise<LogPage>
  const page1 = await call(owner, { job })
  expect([page1.lines.length, page1.cursor, page1.done]).toEqual([1000, 1000, false])
  const page2 = await call(owner, { job, cursor: page1.cursor })
  expect([page2.lines.length, page2.lines[0]?.text, page2.cursor, page2.done]).toEqual([500, 'line 1001', 1500, true])
  expect(await call(owner, { job, cursor: 1500 })).toEqual({ lines: [], cursor: 1500, done: true })
  const stranger = await makeOrganization(running.documents, 'stranger')
  await expect(call(stranger, { job })).rejects.toMatchObject({ code: 'not_found' })
  await expect(call(owner, { job, cursor: -1 })).rejects.toMatchObject({ code: 'invalid' })
})
