import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { GadgetDoctype } from '#tests/support/gadget.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { DocumentEvent } from '#server/contracts/transaction.ts'
import { UserMetaDoctype } from '#shared/doctypes/user-meta.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

let t: TestDocuments
let admin: Session
let manager: Session
let user: Session
let stranger: Session

beforeAll(async () => {
  t = await createTestDocuments({
    extra: [GadgetDoctype],
    controllers: [
      {
        doctype: 'Gadget',
        actions: {
          polish: async (doc, args, { tx }) => ({
            polished: args.times,
            status: (await tx.update('Gadget', doc.name, { status: 'shiny' })).name,
          }),
        },
      },
      {
        doctype: 'Gadget',
        async validate(doc) {
          if (doc.label === 'boom') throw new Error('hook fails')
        },
      },
    ],
  })
  await t.organization('acme')
  await t.organization('globex')
  admin = sessionOf('owner@acme.example', 'acme')
  manager = await t.member('acme', 'manager@acme.example', 'Organization Manager')
  user = await t.member('acme', 'user@acme.example', 'Organization User')
  stranger = sessionOf('owner@globex.example', 'globex')
})
afterAll(() => t?.close())

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: { code?: string; excType?: string }) => error.excType ?? error.code ?? String(error),
  )

describe('a doctype file alone', () => {
  test('gives insert, get, list, count, save, search and delete', async () => {
    const made = await t.documents.insert(admin, 'Gadget', { label: 'Lamp', size: '3', active: true, extra: '{"a":1}' })
    expect(made).toMatchObject({
      doctype: 'Gadget',
      label: 'Lamp',
      size: 3,
      active: 1,
      color: 'red',
      extra: { a: 1 },
      organization: 'acme',
      owner: admin.user,
      status: 'new',
    })
    expect(made.name).toMatch(/^[a-z][a-z0-9]{9}$/)
    expect(made.creation).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/)
    const saved = await t.documents.save(admin, 'Gadget', made.name, { size: 4, modified: made.modified })
    expect(saved).toMatchObject({ size: 4, modified_by: admin.user })
    expect(saved.modified > made.modified).toBe(true)
    expect(
      await t.documents.list(admin, 'Gadget', {
        fields: '["name","label as title"]',
        filters: { label: ['like', 'la%'] },
      }),
    ).toEqual([{ name: made.name, title: 'Lamp' }])
    expect(await t.documents.count(admin, 'Gadget', { filters: [['size', '>', 3]] })).toBe(1)
    expect(await t.documents.search(admin, 'Gadget', { txt: 'amp' })).toEqual([
      { value: made.name, label: 'Lamp', description: '' },
    ])
    await t.documents.delete(admin, 'Gadget', made.name)
    expect(await code(t.documents.get(admin, 'Gadget', made.name))).toBe('not_found')
  })

  test('checks values and names the field', async () => {
    expect(await code(t.documents.insert(admin, 'Gadget', {}))).toBe('MandatoryError')
    await expect(t.documents.insert(admin, 'Gadget', { label: 'x', color: 'blue' })).rejects.toMatchObject({
      field: 'color',
    })
    await expect(t.documents.insert(admin, 'Gadget', { label: 'x', size: 11 })).rejects.toMatchObject({ field: 'size' })
    await expect(t.documents.insert(admin, 'Gadget', { label: 'x', size: 'many' })).rejects.toMatchObject({
      field: 'size',
    })
    await expect(t.documents.insert(admin, 'Gadget', { label: 'x'.repeat(21) })).rejects.toMatchObject({
      field: 'label',
      excType: 'CharacterLengthExceededError',
    })
    await expect(t.documents.insert(admin, 'Gadget', { label: 'a\0b' })).rejects.toMatchObject({ field: 'label' })
    await expect(t.documents.insert(admin, 'Gadget', { label: { a: 1 } })).rejects.toMatchObject({
      field: 'label',
      excType: 'FrappeTypeError',
    })
    await expect(t.documents.insert(admin, 'Gadget', { label: 'x', site: 'nosuch' })).rejects.toMatchObject({
      field: 'site',
      excType: 'LinkValidationError',
    })
  })

  test('a stale document is refused, and nothing is written', async () => {
    const made = await t.documents.insert(admin, 'Gadget', { label: 'Stale' })
    await t.documents.save(admin, 'Gadget', made.name, { size: 1 })
    expect(await code(t.documents.save(admin, 'Gadget', made.name, { size: 2, modified: made.modified }))).toBe(
      'TimestampMismatchError',
    )
    expect(await t.documents.get(admin, 'Gadget', made.name)).toMatchObject({ size: 1 })
  })

  test('a failing hook rolls everything back', async () => {
    await expect(t.documents.insert(admin, 'Gadget', { label: 'boom' })).rejects.toThrow('hook fails')
    expect(await t.documents.count(admin, 'Gadget', { filters: { label: 'boom' } })).toBe(0)
  })

  test('standard, unknown and server-owned keys are ignored; immutable ones refused', async () => {
    const made = await t.documents.insert(admin, 'Gadget', {
      label: 'Keys',
      owner: 'x@y.z',
      creation: '2001-01-01',
      status: 'evil',
      nothing: 1,
      name: 'chosen',
      __proto__: { a: 1 },
    })
    expect(made).toMatchObject({ owner: admin.user, status: 'new' })
    expect(made.name).not.toBe('chosen')
    expect(await code(t.documents.save(admin, 'Gadget', made.name, { organization: 'globex' }))).toBe(
      'CannotChangeConstantError',
    )
    expect(await t.documents.save(admin, 'Gadget', made.name, { organization: 'acme', status: 'evil' })).toMatchObject({
      status: 'new',
    })
  })
})

describe('secrets', () => {
  test('are stored encrypted, returned as a mask, and unchanged when the mask is sent back', async () => {
    const made = await t.documents.insert(admin, 'Gadget', { label: 'Safe', token: 'CANARY-1' })
    expect(made.token).toBe('*****')
    const raw = await sql<{ token: string }>`select token from tab_gadget where name = ${made.name}`.execute(
      t.test.database.db,
    )
    expect(raw.rows[0]?.token).toMatch(/^sealed:/)
    await t.documents.save(admin, 'Gadget', made.name, { token: '*****', size: 1 })
    expect(await t.documents.transaction(t.system, (tx) => tx.secret('Gadget', made.name, 'token'))).toBe('CANARY-1')
    await t.documents.save(admin, 'Gadget', made.name, { token: '' })
    expect(await t.documents.transaction(t.system, (tx) => tx.secret('Gadget', made.name, 'token'))).toBeNull()
  })

  test('are left out of lists, and cannot be filtered, sorted, grouped or counted', async () => {
    await t.documents.insert(admin, 'Gadget', { label: 'Locked', token: 'hush' })
    const rows = await t.documents.list(admin, 'Gadget', { fields: ['label', 'token'] })
    expect(rows).toContainEqual({ label: 'Locked' })
    for (const query of [
      { fields: ['count(token) as n'] },
      { filters: { token: 'x' } },
      { order_by: 'token asc' },
      { fields: ['count(name) as n'], group_by: 'token' },
    ]) {
      expect(await code(t.documents.list(admin, 'Gadget', query))).toBe('DataError')
    }
  })
})

describe('the gate', () => {
  test('another organization’s document is as good as missing', async () => {
    const made = await t.documents.insert(admin, 'Gadget', { label: 'Ours' })
    const unknown = await t.documents
      .get(stranger, 'Gadget', 'aaaaaaaaaa')
      .catch((error: Error) => error.message.replace('aaaaaaaaaa', 'X'))
    const foreign = await t.documents
      .get(stranger, 'Gadget', made.name)
      .catch((error: Error) => error.message.replace(made.name, 'X'))
    expect(foreign).toBe(unknown)
    for (const attempt of [
      () => t.documents.save(stranger, 'Gadget', made.name, { size: 1 }),
      () => t.documents.delete(stranger, 'Gadget', made.name),
      () => t.documents.runAction(stranger, 'Gadget', made.name, 'polish', { times: 1 }),
    ])
      expect(await code(attempt())).toBe('not_found')
    expect(await t.documents.list(stranger, 'Gadget', { filters: { name: made.name } })).toEqual([])
    expect(await code(t.documents.insert(stranger, 'Gadget', { label: 'Trojan', organization: 'acme' }))).toBe(
      'forbidden',
    )
  })

  test('a member of both sees only the chosen organization', async () => {
    const made = await t.documents.insert(admin, 'Gadget', { label: 'Chosen' })
    await t.member('acme', 'both@example.com', 'Organization Admin')
    const inGlobex = await t.member('globex', 'both@example.com', 'Organization Admin')
    expect(await code(t.documents.get(inGlobex, 'Gadget', made.name))).toBe('not_found')
    expect(await t.documents.get({ ...inGlobex, organization: 'acme' }, 'Gadget', made.name)).toMatchObject({
      label: 'Chosen',
    })
    const site = await t.documents.transaction(t.system, (tx) =>
      tx.insert(SiteDoctype, { organization: 'acme', domain: 'linked', server: 'elsewhere0' }),
    )
    // Links are resolved in the new document's organization; documents of the selected one can't be linked.
    const values = { label: 'Linked', site: site.name }
    expect(await code(t.documents.insert(inGlobex, 'Gadget', { ...values, organization: 'acme' }))).toBe('ok')
    expect(await code(t.documents.insert(inGlobex, 'Gadget', values))).toBe('LinkValidationError')
  })

  test('roles decide on operations, rows and fields', async () => {
    const made = await t.documents.insert(admin, 'Gadget', { label: 'Priced', price: 7 })
    expect(made.price).toBe(7)
    const seen = await t.documents.get(manager, 'Gadget', made.name)
    expect(seen.label).toBe('Priced')
    expect('price' in seen).toBe(false)
    expect(await code(t.documents.list(manager, 'Gadget', { filters: { price: 7 } }))).toBe('DataError')
    expect(await code(t.documents.save(manager, 'Gadget', made.name, { size: 1 }))).toBe('PermissionError')
    expect(await code(t.documents.get(user, 'Gadget', made.name))).toBe('PermissionError')
    expect(await t.documents.list(user, 'Gadget', { filters: { name: made.name } })).toEqual([])
    const own = await t.documents.insert(user, 'Gadget', { label: 'Mine', color: 'green' })
    expect(await t.documents.list(user, 'Gadget', {})).toEqual([{ name: own.name }])
    expect(await code(t.documents.insert(user, 'Gadget', { label: 'Mine', color: 'red' }))).toBe('PermissionError')
    expect(await code(t.documents.insert(user, 'Gadget', { label: 'Mine', color: 'green', price: 1 }))).toBe(
      'forbidden',
    )
  })

  test('guests, the unverified and ex-members get nothing', async () => {
    const guest = sessionOf('Guest', null, { kind: 'guest', verified: false })
    expect(await code(t.documents.list(guest, 'Gadget', {}))).toBe('forbidden')
    expect(await code(t.documents.list({ ...admin, verified: false }, 'Gadget', {}))).toBe('forbidden')
    const leaving = await t.member('acme', 'leaving@acme.example', 'Organization Admin')
    expect(await code(t.documents.list(leaving, 'Gadget', {}))).toBe('ok')
    await t.documents.transaction(t.system, async (tx) => {
      const row = await tx.find(OrganizationMemberDoctype, [
        ['parent', '=', 'acme'],
        ['user', '=', leaving.user],
      ])
      await tx.delete(OrganizationMemberDoctype, row?.name as string)
    })
    expect(await code(t.documents.list(leaving, 'Gadget', {}))).toBe('forbidden')
  })

  test('actions check role, state and arguments', async () => {
    const made = await t.documents.insert(admin, 'Gadget', { label: 'Brass' })
    expect(await code(t.documents.runAction(manager, 'Gadget', made.name, 'polish', { times: 1 }))).toBe(
      'PermissionError',
    )
    expect(await code(t.documents.runAction(admin, 'Gadget', made.name, 'melt', {}))).toBe('forbidden')
    expect(await code(t.documents.runAction(admin, 'Gadget', made.name, 'constructor', {}))).toBe('forbidden')
    await expect(t.documents.runAction(admin, 'Gadget', made.name, 'polish', {})).rejects.toMatchObject({
      field: 'times',
    })
    expect(await t.documents.runAction(admin, 'Gadget', made.name, 'polish', { times: '2' })).toMatchObject({
      polished: 2,
    })
    await expect(t.documents.runAction(admin, 'Gadget', made.name, 'polish', { times: 2 })).rejects.toMatchObject({
      field: 'status',
    })
  })
})

describe('users and organizations', () => {
  test('a user sees himself fully, colleagues by card, strangers not at all', async () => {
    expect(await t.documents.get(user, 'User', user.user)).toHaveProperty('phone')
    expect(await t.documents.get(admin, 'User', user.user)).not.toHaveProperty('phone')
    expect(await code(t.documents.get(stranger, 'User', user.user))).toBe('not_found')
    expect((await t.documents.list(admin, 'User', { fields: ['name'], limit: 50 })).map((row) => row.name)).toContain(
      user.user,
    )
    expect(
      (await t.documents.list(stranger, 'User', { fields: ['name'], limit: 50 })).map((row) => row.name),
    ).not.toContain(user.user)
    expect(await t.documents.save(user, 'User', user.user, { first_name: 'Ann', enabled: 1 })).toMatchObject({
      first_name: 'Ann',
      enabled: 1,
    })
    // Server-owned for everyone except platform admins: ignored.
    const before = await t.documents.get(user, 'User', user.user)
    for (const rights of [{ roles: ['Easydash Admin'] }, { role_profile_name: 'Easydash Admin' }, { enabled: 0 }])
      expect(await t.documents.save(user, 'User', user.user, rights)).toEqual(before)
  })

  test('a JSON field sent as text passes the same checks as one sent as it is', async () => {
    await t.documents.transaction(t.system, (tx) =>
      tx.insert(UserMetaDoctype, { user: user.user }, { owner: user.user }),
    )
    const hostile = [
      `${'['.repeat(5000)}${']'.repeat(5000)}`,
      '{"a":"\\u0000"}',
      '{"\\u0000":1}',
      '{"a":"\\ud800"}',
      '{"__proto__":{"a":1}}',
      '{"a":1e999}',
      `["${'x'.repeat(1_000_000)}"]`,
    ]
    for (const preferences of hostile)
      expect(
        await code(t.documents.save(user, 'User Meta', user.user, { preferences })),
        preferences.slice(0, 20),
      ).toMatch(/^(invalid|ValidationError|DataError)$/)
    expect(await t.documents.save(user, 'User Meta', user.user, { preferences: '{"a":["ä"]}' })).toMatchObject({
      preferences: { a: ['ä'] },
    })
  })

  test('members see the title of their organization, managers no credentials', async () => {
    const organization = await t.documents.get(user, 'Organization', 'acme')
    expect(organization).toMatchObject({ title: 'acme' })
    expect(organization).not.toHaveProperty('members')
    expect(await t.documents.get(manager, 'Organization', 'acme')).not.toHaveProperty('hcloud_token')
    const connection = { kind: 'Hetzner', label: 'Hetzner', is_default: 1, hcloud_token: 'secret-token' }
    await t.documents.insert(admin, 'Connection', connection)
    const full = await t.documents.get(admin, 'Organization', 'acme')
    expect(full.hcloud_token).toBe('*****')
    expect(full.members).toEqual(
      expect.arrayContaining([expect.objectContaining({ user: admin.user, organization_role: 'Organization Admin' })]),
    )
  })
})

describe('events and activity', () => {
  test('events come after commit, activity is masked, chained and append-only', async () => {
    const events: DocumentEvent[] = []
    const off = t.documents.onEvent((event) => events.push(event))
    const made = await t.documents.insert(admin, 'Gadget', { label: 'Watched', token: 'CANARY-2' })
    await t.documents.insert(admin, 'Gadget', { label: 'boom' }).catch(() => undefined)
    off()
    expect(events.filter((event) => event.doctype === 'Gadget')).toEqual([
      expect.objectContaining({ kind: 'insert', name: made.name, organization: 'acme', user: admin.user }),
    ])
    const entries = await t.documents.list(admin, 'Activity', { fields: ['*'], filters: { reference_name: made.name } })
    expect(entries).toEqual([expect.objectContaining({ action: 'Gadget.insert', actor: admin.user, result: 'Done' })])
    expect(JSON.stringify(entries)).not.toContain('CANARY-2')
    const chain = await sql<{
      hash: string
      previous_hash: string
    }>`select hash, previous_hash from tab_activity where organization = 'acme'`.execute(t.test.database.db)
    const hashes = new Set(chain.rows.map((row) => row.hash))
    expect(chain.rows.filter((row) => !hashes.has(row.previous_hash)).map((row) => row.previous_hash)).toEqual([''])
    expect(new Set(chain.rows.map((row) => row.previous_hash)).size).toBe(chain.rows.length)
    await expect(sql`update tab_activity set actor = 'x'`.execute(t.test.database.db)).rejects.toThrow('append-only')
    await expect(sql`truncate tab_activity`.execute(t.test.database.db)).rejects.toThrow('append-only')
  })

  test('a refused act is on record', async () => {
    const made = await t.documents.insert(admin, 'Gadget', { label: 'Refused' })
    await t.documents.save(manager, 'Gadget', made.name, { size: 1 }).catch(() => undefined)
    expect(
      await t.documents.list(admin, 'Activity', {
        fields: ['actor', 'result', 'action'],
        filters: { reference_name: made.name, result: 'Denied' },
      }),
    ).toEqual([{ actor: manager.user, result: 'Denied', action: 'Gadget.write' }])
  })

  test("a member's refused creation is on record, a stranger's is not", async () => {
    const deniedActivities = () =>
      t.documents.list(admin, 'Activity', {
        fields: ['actor', 'result'],
        filters: { action: 'Gadget.create' },
        limit: 0,
      })
    const before = (await deniedActivities()).length
    await t.documents.insert(stranger, 'Gadget', { label: 'Theirs', organization: 'acme' }).catch(() => undefined)
    expect(await deniedActivities()).toHaveLength(before)
    await t.documents.insert(manager, 'Gadget', { label: 'Mine' }).catch(() => undefined)
    expect(await deniedActivities()).toHaveLength(before + 1)
    expect((await deniedActivities())[0]).toEqual({ actor: manager.user, result: 'Denied' })
  })
})
