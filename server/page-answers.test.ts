import { expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { say } from '#shared/sentence.ts'
import { silentLog } from '#server/platform/log.ts'
import { sessionOf } from '../tests/support/documents.ts'
import type { Documents } from './documents/types.ts'
import { createPageAnswers } from './page-answers.ts'

const ann = sessionOf('ann@acme.example', 'acme')

/** Answers for pages where whatever is refused by name or method is refused by the gate. */
function answersFor(refused: readonly string[] = []) {
  const warned: string[] = []
  const gate = (name: string): void => {
    if (refused.includes(name)) throw new AppError('not_found', say`There is nothing here.`)
  }
  const documents = {
    get: async (_session: unknown, doctype: string, name: string) => {
      gate(name)
      return { doctype, name }
    },
  } as unknown as Documents
  const run = async (method: string): Promise<unknown> => {
    gate(method.split('.').at(-1) ?? '')
    return 'answer'
  }
  const read = createPageAnswers({ documents, run, log: { ...silentLog, warn: (text) => void warned.push(text) } })
  return { read, warned }
}

test.each([
  ['/web/site/s1', ['Site', 's1']],
  ['/web/site/s1/', ['Site', 's1']],
  ['/web/server/srv', ['Server', 'srv']],
  ['/web/user/bob%40acme.example', ['User', 'bob@acme.example']],
  ['/web/organization', ['Organization', 'acme']],
])('%s comes with what it is about', async (path, [doctype, name]) => {
  const { read } = answersFor()
  expect(await read(ann, path)).toEqual([{ doc: [doctype, name], answer: { doctype, name } }])
})

test.each([
  '/web',
  '/web/site',
  '/web/site/create',
  '/web/site/s1/more',
  '/web/server/create',
  '/web/site/%E0%A4%A',
  '/x',
])('%s asks for everything itself', async (path) => {
  expect(await answersFor().read(ann, path)).toEqual([])
})

test('what the reader may not have is left out without a word, the rest comes', async () => {
  const { read, warned } = answersFor(['s1', 'get_user_profile'])
  expect(await read(ann, '/web/site/s1')).toEqual([])
  const billing = await read(ann, '/web/billing')
  expect(billing).toHaveLength(2)
  expect(JSON.stringify(billing)).not.toContain('get_user_profile')
  expect(warned).toEqual([])
})

test('guests, tokens and unproven addresses get nothing', async () => {
  const { read } = answersFor()
  for (const nobody of [
    sessionOf('Guest', null, { kind: 'guest', verified: false }),
    { ...ann, kind: 'token' as const },
    { ...ann, verified: false },
  ])
    expect(await read(nobody, '/web/site/s1')).toEqual([])
  expect(await read({ ...ann, organization: null }, '/web/organization')).toEqual([])
})
