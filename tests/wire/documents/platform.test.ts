import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Booted } from '../booted.ts'
import { sdkError, type Browser } from '../browser.ts'
import {
  bootPlatform,
  planStatus,
  platformCalls,
  platformMethod,
  errorStatus,
  type PlatformFixture,
} from './platform-fixture.ts'
import { ConnectionDoctype } from '#shared/doctypes/connection.ts'

let fixture: PlatformFixture
let booted: Booted
let root: Browser
let owner: Browser
let admin: Browser
let nobody: Browser

beforeAll(async () => {
  fixture = await bootPlatform()
  ;({ booted, root, owner, admin } = fixture)
  nobody = await booted.signedIn('nobody@example.com')
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const { get, post, activity } = platformCalls(() => fixture)

const reading = ['organizations', 'users', 'outbox', 'jobs', 'health', 'granted_plans']
const acting: Record<string, Record<string, unknown>> = {
  set_plan: { organization: 'acme', plan: 'Pro' },
  set_limits: { organization: 'acme', site: 1, server: 1 },
  end_granted_plan: { organization: 'acme' },
  set_site_quotas: { organization: 'acme', disk_mb: 100 },
  set_modules: { organization: 'acme', ee: 0, wpc: 1 },
  grant_local_engine: { organization: 'acme', granted: 1 },
  set_vip: { organization: 'acme', enabled: 1 },
  set_organization_enabled: { organization: 'acme', enabled: 0 },
  set_user_enabled: { user: 'admin@acme.example', enabled: 0 },
  set_user_roles: { user: 'admin@acme.example', platform_user: 1, platform_admin: 1 },
  outbox_mail: { mail: 1 },
}

describe('permissions', () => {
  it('only the platform admin; to everybody else the methods do not exist', async () => {
    const unknown = await sdkError(owner.app.call().post(platformMethod('no_such_thing')))
    for (const browser of [owner, admin, nobody, booted.browser()]) {
      for (const method of reading) expect([method, await errorStatus(get(method, {}, browser))]).toEqual([method, 403])
      for (const [method, params] of Object.entries(acting)) {
        const error = await sdkError(post(method, params, browser))
        expect([method, error.httpStatus]).toEqual([method, 403])
      }
    }
    const known = await sdkError(post('set_plan', acting['set_plan'], owner))
    expect(known.exc_type).toBe(unknown.exc_type)
    expect(known.exception.replace('set_plan', 'X')).toBe(unknown.exception.replace('no_such_thing', 'X'))
    expect(await planStatus(owner)).toMatchObject({ plan_name: 'Free' })
  })

  it('acts are POST only, organizations and people must exist', async () => {
    for (const [method, params] of Object.entries(acting)) {
      expect([method, await errorStatus(get(method, params))]).toEqual([method, 403])
      const missing = { ...params, organization: 'missing', user: 'missing@example.com', mail: 999_999_999 }
      expect([method, await errorStatus(post(method, missing))]).toEqual([method, 404])
      expect([method, await errorStatus(post(method, {}))]).toEqual([method, 417])
    }
  })
})

describe('organizations', () => {
  it('lists all with figures, filtered and in pages', async () => {
    const { organizations, total } = await get<{ organizations: Record<string, unknown>[]; total: number }>(
      'organizations',
    )
    expect(total).toBe(2)
    expect(organizations.map((one) => one['name'])).toEqual(['globex', 'acme'])
    expect(organizations[1]).toEqual({
      name: 'acme',
      title: 'acme',
      owner: 'owner@acme.example',
      plan: 'Free',
      limits: { site: 3, server: 1 },
      overrides: { site: null, server: null },
      usage: { site: 0, server: 0 },
      site_quotas: { disk_mb: null, files: null, log_mb: null, outbox_mb: null },
      members: 2,
      enabled: 1,
      local_engine: 1,
      vip: 0,
      modules: { ee: true, wpc: false },
      customer_url: null,
      creation: expect.stringMatching(/^\d{4}-\d\d-\d\d /) as string,
    })
    const names = async (params: Record<string, unknown>) => {
      const found = await get<{ organizations: { name: string }[]; total: number }>('organizations', params)
      return [found.organizations.map((one) => one.name), found.total]
    }
    expect(await names({ txt: 'OWNER@GLOBEX' })).toEqual([['globex'], 1])
    expect(await names({ txt: '%' })).toEqual([[], 0])
    expect(await names({ local_engine: 1 })).toEqual([['acme'], 1])
    expect(await names({ plan: 'Pro' })).toEqual([[], 0])
    expect(await names({ limit: 1, limit_start: 1 })).toEqual([['acme'], 2])
    for (const params of [
      { limit: -1 },
      { limit: 501 },
      { limit: 'x' },
      { limit_start: -1 },
      { plan: 'Gold' },
      { enabled: 2 },
    ])
      expect([params, await errorStatus(get('organizations', params))]).toEqual([params, 417])
  })

  it('plan: holds at once, is in the organization’s log with whom it was done for', async () => {
    expect(await post('set_plan', { organization: 'acme', plan: 'Growth' })).toMatchObject({ plan_name: 'Growth' })
    expect(await planStatus(owner)).toMatchObject({ plan_name: 'Growth', limits: { site: 25, server: 8 } })
    expect((await activity('acme', 'Organization.update'))[0]).toMatchObject({
      actor: 'root@example.com',
      on_behalf_of: 'owner@acme.example',
      before: { plan: 'Free' },
      after: { plan: 'Growth' },
      via: 'web',
    })
    expect(await activity('globex', 'Organization.update')).toEqual([])
  })

  it('VIP: the members’ flag follows it', async () => {
    const flag = async () => {
      const { message } = await owner.app
        .call()
        .post('easydash.easydash.doctype.user_meta.user_meta.get_current_user_organization_metadata')
      return (message as { is_vip_enabled?: unknown }).is_vip_enabled
    }
    for (const enabled of [1, 0]) {
      expect(await post('set_vip', { organization: 'acme', enabled })).toEqual({ organization: 'acme', enabled })
      expect(await flag()).toBe(enabled === 1)
    }
    expect((await activity('acme', 'Organization.update'))[0]).toMatchObject({ after: { enable_vip_template: 0 } })
  })

  it('site quotas: granted one by one, shown, cleared; the owner sees it in the log', async () => {
    const granted = { disk_mb: 20_000, files: null, log_mb: 0, outbox_mb: null }
    expect(await post('set_site_quotas', { organization: 'acme', disk_mb: 20_000, log_mb: 0 })).toEqual({
      organization: 'acme',
      site_quotas: granted,
    })
    const { organizations } = await get<{ organizations: Record<string, unknown>[] }>('organizations', { txt: 'acme' })
    expect(organizations[0]).toMatchObject({ site_quotas: granted })
    expect((await activity('acme', 'platform.set_site_quotas'))[0]).toMatchObject({
      actor: 'root@example.com',
      before: {},
      after: granted,
    })
    for (const values of [{ disk_mb: -1 }, { files: 1.5 }, { log_mb: 'x' }, { outbox_mb: 1e9 }])
      expect([values, await errorStatus(post('set_site_quotas', { organization: 'acme', ...values }))]).toEqual([
        values,
        417,
      ])
    await post('set_site_quotas', { organization: 'acme' })
    const cleared = await get<{ organizations: Record<string, unknown>[] }>('organizations', { txt: 'acme' })
    expect(cleared.organizations[0]).toMatchObject({ site_quotas: { disk_mb: null, log_mb: null } })
  })

  it('quotas of the types of sites are the platform admin’s, and stay as they made them', async () => {
    const db = root.app.db()
    expect(await db.getDocList('Site Quota', { fields: ['name', 'disk_mb', 'files', 'log_mb', 'outbox_mb'] })).toEqual([
      { name: 'wp', disk_mb: 5120, files: 250_000, log_mb: 10, outbox_mb: 50 },
      { name: 'php', disk_mb: 2048, files: 100_000, log_mb: 10, outbox_mb: 50 },
      { name: 'html', disk_mb: 1024, files: 50_000, log_mb: 1, outbox_mb: 1 },
    ])
    await db.updateDoc('Site Quota', 'wp', { disk_mb: 9000 })
    const { seedSiteQuotas } = await import('#server/features/billing/site-quotas.ts')
    await booted.documents.transaction(booted.system, (tx) => seedSiteQuotas(tx))
    expect(await db.getDoc('Site Quota', 'wp')).toMatchObject({ disk_mb: 9000 })
    for (const values of [{ disk_mb: -1 }, { files: 1e12 }, { log_mb: 'x' }] as Record<string, unknown>[])
      expect([values, await errorStatus(db.updateDoc('Site Quota', 'wp', values))]).toEqual([values, 417])
    for (const browser of [owner, admin, nobody]) {
      expect(await errorStatus(browser.app.db().getDoc('Site Quota', 'wp'))).toBe(404)
      expect(await errorStatus(browser.app.db().updateDoc('Site Quota', 'wp', { disk_mb: 1 }))).toBe(404)
    }
    expect(await errorStatus(db.deleteDoc('Site Quota', 'wp'))).toBe(403)
  })

  it('limits: granted, shown, cleared; the owner sees it in the log', async () => {
    expect(await post('set_limits', { organization: 'acme', site: 5, server: 0 })).toEqual({
      organization: 'acme',
      overrides: { site: 5, server: 0 },
    })
    expect(await planStatus(owner)).toMatchObject({ limits: { site: 5, server: 0 } })
    const listed = await get<{ organizations: Record<string, unknown>[] }>('organizations', { txt: 'acme' })
    expect(listed.organizations[0]).toMatchObject({
      limits: { site: 5, server: 0 },
      overrides: { site: 5, server: 0 },
    })
    const [entry] = await activity('acme', 'platform.set_limits')
    expect(entry).toMatchObject({
      actor: 'root@example.com',
      on_behalf_of: 'owner@acme.example',
      before: { site: null, server: null },
      after: { site: '5', server: '0' },
    })
    const seen = await owner.app
      .db()
      .getDocList('Activity', { fields: ['name'], filters: [['action', '=', 'platform.set_limits']] })
    expect(seen).toEqual([{ name: entry?.name }])
    await post('set_limits', { organization: 'acme', site: null, server: null })
    expect(await planStatus(owner)).toMatchObject({ limits: { site: 25, server: 8 } })
    for (const site of [-2, 1.5, 'many', 1_000_001])
      expect([site, await errorStatus(post('set_limits', { organization: 'acme', site }))]).toEqual([site, 417])
  })

  it('modules', async () => {
    expect(await post('set_modules', { organization: 'acme', ee: false, wpc: true })).toEqual({
      organization: 'acme',
      ee: false,
      wpc: true,
    })
    expect(((await owner.app.call().post('enabled_modules')) as { message: unknown }).message).toEqual({
      ee: false,
      wpc: true,
    })
    await post('set_modules', { organization: 'acme', ee: 1, wpc: 0 })
    expect((await activity('acme', 'Organization.update'))[0]).toMatchObject({
      actor: 'root@example.com',
      on_behalf_of: 'owner@acme.example',
      after: { module_ee: 1, module_wpc: 0 },
    })
  })

  it('disabled: members lose every right at once, and have them again when it is enabled', async () => {
    const onRevoked = vi.fn()
    booted.accounts.sessions.onRevoked(onRevoked)
    await post('set_organization_enabled', { organization: 'acme', enabled: 0 })
    await expect
      .poll(() => onRevoked)
      .toHaveBeenCalledWith({ user: 'owner@acme.example', sessionId: null, organization: 'acme' })
    for (const browser of [owner, admin]) {
      expect(await errorStatus(planStatus(browser))).toBe(403)
      expect(await errorStatus(browser.app.db().getDoc('Organization', 'acme'))).toBe(404)
      expect(await errorStatus(browser.app.db().getDocList('Site'))).toBe(403)
    }
    expect((await get<{ organizations: unknown[] }>('organizations', { enabled: 0 })).organizations).toHaveLength(1)
    await post('set_organization_enabled', { organization: 'acme', enabled: 1 })
    await expect.poll(() => planStatus(owner)).toMatchObject({ organization: 'acme' })
  })
})

describe('outbox', () => {
  const link = 'http://localhost/web/reset-password?key=very-secret-key'
  const addMail = (to: string, state: string) =>
    booted.documents.transaction(booted.system, async (tx) => {
      const row = await tx.trx
        .insertInto('easydash_mail')
        .values({
          to,
          subject: 'Set a new password',
          text: link,
          html: `<a href="${link}">x</a>`,
          kind: 'reset',
          status: state,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      return Number(row['id'])
    })

  it('lists mails without their content; one comes with it, and that is on record', async () => {
    const kept = await addMail('ann@example.com', 'Printed')
    await addMail('eve@example.com', 'Failed')
    const { mails, total } = await get<{ mails: Record<string, unknown>[]; total: number }>('outbox')
    expect(total).toBe(2)
    expect(mails.map((mail) => mail['to'])).toEqual(['eve@example.com', 'ann@example.com'])
    expect(JSON.stringify(mails)).not.toContain('secret')
    expect(await get('outbox', { status: 'Failed' })).toMatchObject({ total: 1 })

    expect(await post('outbox_mail', { mail: kept })).toMatchObject({
      id: kept,
      to: 'ann@example.com',
      text: link,
      html: `<a href="${link}">x</a>`,
      status: 'Printed',
    })
    const [entry] = await activity(null, 'platform.read_mail')
    expect(entry).toMatchObject({ actor: 'root@example.com', reference_name: 'ann@example.com' })
    expect(JSON.stringify(entry)).not.toContain('secret')
    for (const mail of [0, -1, 'x', 1.5]) expect(await errorStatus(post('outbox_mail', { mail }))).toBe(417)
  })
})

describe('jobs', () => {
  it('lists those of all organizations with their states, never what they work with', async () => {
    await booted.documents.transaction(booted.system, async (tx) => {
      for (const [organization, state] of [
        ['acme', 'Done'],
        ['acme', 'Failed'],
        ['globex', 'Queued'],
      ]) {
        await tx.insert('Job', {
          organization,
          job_type: 'site.create',
          label: 'Create blog',
          status: state,
          args: { password: 'very-secret' },
          error_message: state === 'Failed' ? 'It broke.' : null,
        })
      }
    })
    const all = await get<{ jobs: Record<string, unknown>[]; total: number; counts: Record<string, number> }>('jobs')
    expect(all.total).toBe(3)
    expect(all.counts).toEqual({
      Queued: 1,
      Running: 0,
      Cancelling: 0,
      Done: 1,
      Failed: 1,
      Cancelled: 0,
      'Lost Contact': 0,
    })
    expect(JSON.stringify(all)).not.toContain('very-secret')
    const failed = await get<typeof all>('jobs', { status: 'Failed' })
    expect(failed.jobs).toMatchObject([{ organization: 'acme', error_message: 'It broke.' }])
    expect(failed).toMatchObject({ total: 1, counts: { Queued: 1, Done: 1, Failed: 1 } })
    expect(await get('jobs', { organization: 'globex' })).toMatchObject({ total: 1, counts: { Queued: 1, Failed: 0 } })
    expect(await errorStatus(get('jobs', { status: 'Broken' }))).toBe(417)
  })
})

describe('health', () => {
  it('tells every part in figures, no paths and no settings', async () => {
    const health = await get('health')
    expect(health).toMatchObject({
      version: '1.2.3',
      database: { ok: true, version: expect.stringMatching(/^\d+/) as string },
      migrations: { ok: true, schema_version: 1 },
      queue: { queued: 1, running: 0, failed_24h: 0 },
      payments: null,
      wordpress_cache: { versions: ['6.9'], fallback: true, last_try: '2026-01-02 03:04:05.000000', last_failed: true },
      pictures: { state: 'broken', next_try: '2026-01-02 03:04:05.000000' },
      mail: { smtp: false, kept: 1, failed: 1, ok: false },
      ok: false,
      errors: { since_start: 0 },
    })
    for (const [part, key] of [
      ['disk', 'free_bytes'],
      ['disk', 'total_bytes'],
      ['memory', 'process_bytes'],
      ['memory', 'system_total_bytes'],
      ['database', 'size_bytes'],
      ['queue', 'oldest_queued_seconds'],
    ] as const)
      expect([part, key, (health[part] as Record<string, unknown>)[key]]).toEqual([part, key, expect.any(Number)])
    expect(health['uptime_seconds']).toBeGreaterThanOrEqual(0)
    expect(JSON.stringify(health)).not.toMatch(/\/tmp|\/home|postgres(?:ql)?:|sid=|key/i)
  })
})

it('the platform admin empties credentials, and neither sets nor sees them', async () => {
  const db = root.app.db()
  await owner.app.db().updateDoc('Organization', 'acme', { hcloud_token: 'a-token', bucket_name: 'a-bucket' })
  const stored = () =>
    booted.documents.transaction(booted.system, (tx) => tx.find(ConnectionDoctype, [['kind', '=', 'Hetzner']]))
  expect(await errorStatus(db.updateDoc('Organization', 'acme', { hcloud_token: 'another' }))).toBe(403)
  expect(await stored()).not.toBeNull()
  const doc = await db.updateDoc('Organization', 'acme', { hcloud_token: '', bucket_name: null })
  expect(doc).not.toHaveProperty('hcloud_token')
  expect(await stored()).toBeNull()
  expect(await owner.app.db().getDoc('Organization', 'acme')).not.toHaveProperty('bucket_name')
})

it('the platform admin’s reading of another organization is what the matrix gives, and nothing secret', async () => {
  const doc = await root.app.db().getDoc('Organization', 'acme')
  expect(doc).toMatchObject({ title: 'acme' })
  for (const hidden of ['site_limit_override', 'access_token_sha256_hash']) expect(doc).not.toHaveProperty(hidden)
})
