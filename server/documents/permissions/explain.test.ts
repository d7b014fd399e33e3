import { afterAll, beforeAll, expect, test } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { englishOf, untranslatable, valuesOf } from '#tests/support/message-texts.ts'
import { describeGrant } from './rule-messages.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import type { Explanation, ExplainQuestion } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { DocShareDoctype } from '#shared/doctypes/doc-share.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'

let t: TestDocuments
let owner: Session
let manager: Session
let member: Session
let stranger: Session
const named: Record<string, string> = {}

beforeAll(async () => {
  t = await createTestDocuments()
  await t.organization('acme')
  await t.organization('globex')
  owner = sessionOf('owner@acme.example', 'acme')
  stranger = sessionOf('owner@globex.example', 'globex')
  manager = await t.member('acme', 'manager@acme.example', 'Organization Manager')
  member = await t.member('acme', 'member@acme.example', 'Organization User')
  await t.documents.transaction(t.system, async (tx) => {
    await tx.update(UserDoctype, 'manager@acme.example', {
      full_name: 'Mia Lang',
      first_name: 'Mia',
      last_name: 'Lang',
      email_verified: 1,
      roles: ['Easydash User'],
    })
    const server = await tx.insert(ServerDoctype, {
      organization: 'acme',
      hostname: 'web1',
      server_category: 'production',
    })
    named['server'] = server.name
    for (const domain of ['shared', 'other']) {
      const site = await tx.insert(SiteDoctype, {
        organization: 'acme',
        domain,
        server: server.name,
        site_type: 'html',
      })
      named[domain] = site.name
    }
    await tx.insert(DocShareDoctype, {
      organization: 'acme',
      share_doctype: 'Site',
      share_name: named['shared'],
      user: member.user,
      read: 1,
    })
  })
})
afterAll(() => t?.close())

const explain = (session: Session, question: ExplainQuestion) => t.documents.explain(session, question)

test('names the rule that allows it', async () => {
  expect(await explain(member, { doctype: 'Site', name: named['shared'] ?? '', operation: 'read' })).toEqual({
    allowed: true,
    rule: 'Site.read: Organization User',
    text: 'You can see the site shared: you are a member, and members can see sites they created or that were shared with them. This is one of them.',
    text_i18n: expect.objectContaining({ id: '{0} {1}' }),
  })
  expect(await explain(manager, { doctype: 'Site', operation: 'create' })).toMatchObject({
    allowed: true,
    text: 'You can create sites: you are a manager, and managers can create sites.',
  })
})

test('names the reason for a denial, and who has access', async () => {
  expect((await explain(member, { doctype: 'Site', name: named['shared'] ?? '', operation: 'write' })).text).toBe(
    'You can’t change the site shared: you are a member, and members can change sites they created or that were shared with them to be changed. This one is none of them.',
  )
  expect(await explain(manager, { doctype: 'Server', name: named['server'] ?? '', operation: 'delete' })).toEqual({
    allowed: false,
    rule: 'Server.delete: no role',
    text: 'You can’t delete the server web1: you are a manager, and that gives no right to it. The owner and admins can.',
    text_i18n: expect.objectContaining({ id: '{0} {1}' }),
  })
  expect((await explain(owner, { doctype: 'Site', name: named['other'] ?? '', operation: 'archive' })).text).toContain(
    'It is possible only while the status is Live, Suspended or Failed; it is Setting Up.',
  )
})

test('does not name what the asker cannot see', async () => {
  const { text } = await explain(member, { doctype: 'Site', name: named['other'] ?? '', operation: 'read' })
  expect(text).toMatch(/^You can’t see this site: you are a member/)
  expect(text).not.toContain('other:')
})

test('explains what is elsewhere exactly like what does not exist', async () => {
  const question = (name: string) => explain(stranger, { doctype: 'Site', name, operation: 'read' })
  const [real, none] = [await question(named['other'] ?? ''), await question('zzzzzzzzzz')]
  expect(real.text.replace(named['other'] ?? '', 'X')).toBe(none.text.replace('zzzzzzzzzz', 'X'))
  expect([real.rule, real.allowed]).toEqual(['missing', false])
})

test('reveals nothing about existing documents to a token without the scope', async () => {
  const token = { name: 't', organization: 'acme', role: 'Organization Admin', scopes: ['jobs:read'] } as const
  const narrow: Session = { ...owner, kind: 'token', token: { ...token, scopes: [...token.scopes] } }
  for (const [doctype, real] of [
    ['Site', named['other'] ?? ''],
    ['User', manager.user],
    ['Billing Profile', 'acme'],
  ] as const) {
    const responses = [real, 'none@nowhere.example'].map((name) =>
      explain(narrow, { doctype, name, operation: 'read' }),
    )
    const [known, unknown] = await Promise.all(responses)
    expect(known).toMatchObject({ allowed: false, rule: 'token_scope' })
    expect(known).toEqual(unknown)
  }
})

test('about others: the owner and admins only, and members of the own organization only', async () => {
  const question = { doctype: 'Server', name: named['server'] ?? '', operation: 'delete' }
  expect((await explain(owner, { ...question, user: manager.user })).text).toMatch(
    /^Mia Lang can’t delete the server web1: Mia Lang is a manager/,
  )
  await expect(explain(manager, { ...question, user: owner.user })).rejects.toMatchObject({ code: 'forbidden' })
  for (const user of [stranger.user, 'nobody@nowhere.example'])
    await expect(explain(owner, { ...question, user })).rejects.toMatchObject({
      code: 'not_found',
      message: `${user} is not a member of your organization.`,
    })
})

test('about others: by their role in the organization, and nothing of what else their accounts are', async () => {
  const question = { doctype: 'Plan', operation: 'write', user: manager.user }
  const questions = [question, { ...question, doctype: 'Server', name: named['server'] ?? '' }]
  const responses = () => Promise.all(questions.map((one) => explain(owner, one)))
  const set = (values: Record<string, unknown>) =>
    t.documents.transaction(t.system, (tx) => tx.update(UserDoctype, manager.user, values))
  const plain = await responses()
  expect(plain[0]).toMatchObject({ allowed: false })
  expect(plain[0]?.text).toMatch(/Mia Lang is a manager.*That is what the role in your organization gives\.$/)
  for (const state of [
    { role_profile_name: 'Easydash Admin' },
    { role_profile_name: null, enabled: 0 },
    { enabled: 1, email_verified: 0 },
    { email_verified: 1, roles: [] },
  ]) {
    await set(state)
    expect(await responses()).toEqual(plain)
  }
  await set({ roles: ['Easydash User'] })
})

test('rejects undeclared operations, and explains to guests and unverified users what is missing', async () => {
  await expect(explain(owner, { doctype: 'Site', operation: 'toString' })).rejects.toMatchObject({ field: 'operation' })
  await expect(explain(owner, { doctype: 'Nothing', operation: 'read' })).rejects.toMatchObject({ code: 'not_found' })
  const guest = sessionOf('Guest', null, { kind: 'guest', verified: false })
  expect(await explain(guest, { doctype: 'Site', operation: 'read' })).toMatchObject({ allowed: false, rule: 'guest' })
  const unverified = { ...owner, verified: false }
  expect(await explain(unverified, { doctype: 'Site', operation: 'read' })).toMatchObject({ rule: 'unverified' })
})

test('every rule of the product has words', () => {
  const byName = typesByName(doctypes)
  for (const type of doctypes) {
    const grants = [
      ...Object.values(type.permissions).flatMap((one) => [one.read, one.create, one.write, one.delete]),
      ...Object.values(type.actions ?? {}).flatMap((action) => Object.values(action.allow)),
    ]
    for (const grant of grants) {
      if (typeof grant !== 'object') continue
      const text = describeGrant(grant, type, byName)?.text
      expect(text).toMatch(/^[a-z][^{}[\]$_]+$/)
      expect(text).not.toContain('no one has')
    }
  }
})

const full = process.env['EASYDASH_TEST_FULL'] === '1'

/** Every possible question, asked by everyone who gets an answer; one of sixteen outside of the full suite. */
async function everyExplanation() {
  const token = { name: 't', organization: 'acme', role: 'Organization Admin', scopes: ['sites:write'] } as const
  const askers: Session[] = [
    owner,
    manager,
    member,
    { ...owner, verified: false },
    { ...owner, platformAdmin: true },
    { ...owner, organization: null },
    { ...owner, kind: 'token', token: { ...token, scopes: [...token.scopes] } },
    sessionOf('Guest', null, { kind: 'guest', verified: false }),
  ]
  const names: Record<string, (string | undefined)[]> = {
    Site: [named['shared'], named['other'], 'zzzzzzzzzz'],
    Server: [named['server']],
    User: [owner.user, manager.user],
    Organization: ['acme'],
  }
  const questions = doctypes.flatMap((type) =>
    ['read', 'create', 'write', 'delete', ...Object.keys(type.actions ?? {})].flatMap((operation) =>
      [null, ...(names[type.name] ?? [])].map((name) => ({ doctype: type.name, operation, name: name ?? null })),
    ),
  )
  const calls = [
    ...askers.flatMap((asker) => questions.map((question) => ({ asker, question }))),
    ...[manager, member].flatMap(({ user }) =>
      questions.map((question) => ({ asker: owner, question: { ...question, user } })),
    ),
  ].filter((_call, at) => full || at % 16 === 0)
  const all: Explanation[] = []
  // A user can queue only about two hundred calls.
  for (let at = 0; at < calls.length; at += 100)
    all.push(...(await Promise.all(calls.slice(at, at + 100).map(({ asker, question }) => explain(asker, question)))))
  return all
}

test('every explanation can be translated, and its parts have the same meaning', async () => {
  const all = await everyExplanation()
  expect(new Set(all.map(({ rule }) => rule)).size).toBeGreaterThan(full ? 100 : 60)
  for (const { text, text_i18n } of all) expect(englishOf(text_i18n)).toBe(text)
  expect(await untranslatable(all.map(({ text_i18n }) => text_i18n))).toEqual([])
  // Values that aren't translated: names of documents and people, token areas, numbers.
  const people = [owner.user, manager.user, member.user, 'Mia Lang', 'owner', 'member']
  const known = new Set<unknown>([...people, ...Object.values(named), 'shared', 'other', 'web1', 'zzzzzzzzzz', 'acme'])
  for (const { area } of doctypes) known.add(area)
  const values = new Set(all.flatMap(({ text_i18n }) => valuesOf(text_i18n)))
  expect([...values].filter((value) => typeof value !== 'number' && !known.has(value))).toEqual([])
})
