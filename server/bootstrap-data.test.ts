import { expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { msg } from '#shared/localized-message.ts'
import { sessionOf } from '#tests/support/documents.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Method } from '#server/contracts/method.ts'
import { createBootstrapData } from './bootstrap-data.ts'

const names = [
  'easydash.easydash.doctype.user_meta.user_meta.get_current_user_organization_metadata',
  'easydash.api.modules.enabled_modules',
  'easydash.api.user.is_verified',
  'easydash.easydash.doctype.subscription_organization.subscription_organization.get_subscription_status',
]

function createReader(responses: Record<string, () => unknown>) {
  const methods = names.map((name): Method => {
    const last = name.split('.').at(-1) ?? ''
    return { name, access: 'self', verbs: ['GET'], description: '', run: async () => responses[last]?.() ?? last }
  })
  const documents = {
    get: async (_session: unknown, type: string, name: string) => ({ doctype: type, name }),
  } as unknown as Documents
  return createBootstrapData({ documents, methods, log: silentLog })
}

const member = sessionOf('ann@acme.example', 'acme')

test('a signed-in page gets the answers it would ask for', async () => {
  const read = createReader({ get_current_user_organization_metadata: () => ({ org_slug: 'acme' }) })
  expect(await read(member)).toEqual({
    user: member.user,
    metadata: { org_slug: 'acme' },
    modules: 'enabled_modules',
    verified: 'is_verified',
    subscription: 'get_subscription_status',
    own: { doctype: 'User', name: member.user },
    meta: { doctype: 'User Meta', name: member.user },
  })
})

test('guests and tokens get none; without an organization there is no subscription to read', async () => {
  const read = createReader({ get_current_user_organization_metadata: () => ({ org_slug: null }) })
  expect(await read(sessionOf('Guest', null, { kind: 'guest', verified: false }))).toBeNull()
  expect(await read({ ...member, kind: 'token' })).toBeNull()
  expect(await read({ ...member, organization: null })).toMatchObject({ subscription: null })
})

test('returns null if one method fails, so that the page sends the requests itself', async () => {
  const read = createReader({
    get_current_user_organization_metadata: () => ({ org_slug: 'acme' }),
    get_subscription_status: () => {
      throw new AppError('unavailable', msg`not now`)
    },
  })
  expect(await read(member)).toBeNull()
})
