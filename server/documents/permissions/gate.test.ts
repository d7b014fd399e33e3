import { expect, test } from 'vitest'
import { doctype } from '#shared/doctype.ts'
import { check, data, link, secret, type Role } from '#shared/fields.ts'
import type { TokenScope } from '#shared/rules/token-scopes.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { fieldWrite, type AccessContext } from './gate.ts'
import type { Session } from '#server/contracts/session.ts'

const WidgetType = doctype('Widget', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  area: 'sites',
  naming: 'random',
  fields: {
    organization: link('Organization'),
    plain: data(),
    measured: data({ read_only: true }),
    led: data({ write_roles: ['Owner'] }),
    kept: data({ server_owned: true }),
    state: check({ server_owned: true, write_roles: ['Owner'] }),
    found: data({ server_owned: true, read_only: true, write_roles: ['Owner'] }),
    key: secret(),
    inner: data({ hidden: true, write_roles: ['Owner'] }),
  },
  permissions: {
    Owner: { read: true, create: true, write: true },
    'Organization Manager': { read: true, write: true },
    'Organization User': { read: true, write: true, fields: ['plain'] },
  },
})

const accessContextOf = (
  roles: readonly Role[],
  session: Session = sessionOf('ann@acme.example', 'acme'),
): AccessContext => ({
  session,
  organization: 'acme',
  roles,
})

/** Outcome of writing each field, grouped by outcome. */
function written(accessContext: AccessContext): Record<string, string> {
  const names = [...Object.keys(WidgetType.fields), 'owner', 'nothing', '__proto__', 'constructor']
  const outcomes = names.map((name) => [name, fieldWrite(accessContext, WidgetType, name, false)] as const)
  return Object.fromEntries(
    ['taken', 'refused', 'ignored'].map((outcome) => [
      outcome,
      outcomes.flatMap(([name, found]) => (found === outcome ? [name] : [])).join(' '),
    ]),
  )
}

const never = 'owner nothing __proto__ constructor'

test('fields are writable by the roles that can write the document, server-owned fields only by the roles they name', () => {
  expect(written(accessContextOf(['Owner', 'User']))).toEqual({
    taken: 'organization plain led state key',
    refused: 'measured found',
    ignored: `kept inner ${never}`,
  })
})

test('to others a field with writers is refused, and the server’s own is left out', () => {
  expect(written(accessContextOf(['Organization Manager', 'User']))).toEqual({
    taken: 'organization plain key',
    refused: 'measured led',
    ignored: `kept state found inner ${never}`,
  })
  expect(written(accessContextOf(['Organization User']))).toMatchObject({ taken: 'organization plain key' })
})

test('a token writes with the roles it has, and nothing without the scope', () => {
  const token = (scope: TokenScope, role: Role) =>
    accessContextOf(
      [role],
      sessionOf('ann@acme.example', 'acme', {
        kind: 'token',
        token: { name: 't', organization: 'acme', role: 'Organization Admin', scopes: [scope] },
      }),
    )
  expect(written(token('sites:write', 'Organization Manager'))).toMatchObject({ taken: 'organization plain key' })
  // Never as the owner.
  expect(written(token('sites:write', 'Owner'))).toMatchObject({
    taken: '',
    ignored: `kept state found inner ${never}`,
  })
  expect(written(token('sites:read', 'Organization Manager'))).toMatchObject({ taken: '' })
})
