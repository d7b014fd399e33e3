import { beforeAll, describe, expect, test } from 'vitest'
import { systemSession } from '#server/jobs/session.ts'
import { WpcSiteDoctype, type WpcSite } from '#shared/doctypes/wpc-site.ts'
import { rejectionOf } from '#tests/support/sites.ts'
import { useWpCloud } from '#tests/support/wp-cloud.ts'

const { part, siteNow, act, ended, live, forget } = useWpCloud()

const sshKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ann@laptop'

describe('what is kept at WP Cloud only', () => {
  let site: WpcSite
  beforeAll(async () => {
    site = await live('kept.example')
  })

  test('SSH users are added with a key of theirs, listed and removed', async () => {
    const list = async () => ((await act(site.name, 'list_ssh_users')) as { logins: string[] }).logins
    await act(site.name, 'add_ssh_user', { user: 'acme-ann', public_key: sshKey })
    expect(await list()).toEqual(['acme-ann'])
    expect(await rejectionOf(act(site.name, 'add_ssh_user', { user: 'acme-ann', public_key: sshKey }))).toMatchObject({
      code: 'conflict',
    })
    await act(site.name, 'set_ssh_access', { value: 'ssh' })
    await act(site.name, 'remove_ssh_user', { user: 'acme-ann' })
    expect(await list()).toEqual([])
  })

  test.each([
    ['12345', sshKey, 'user'],
    ['ann', sshKey, 'user'],
    ['acme-ann', 'ssh-ed25519 AAAA', 'public_key'],
    ['acme-ann', `${sshKey}\n${sshKey}`, 'public_key'],
  ])('an SSH user %s with a key that %s is refused', async (user, key, field) => {
    expect(await rejectionOf(act(site.name, 'add_ssh_user', { user, public_key: key }))).toMatchObject({ field })
  })

  test('logs are read part by part to their end', async () => {
    type Part = { lines: { at: string; level: string; text: string }[]; cursor: string | null }
    const read = async (log: string, cursor: string | null) =>
      (await act(site.name, 'read_log', { log, ...(cursor !== null && { cursor }) })) as Part
    const [first] = (await read('php', null)).lines
    expect(first).toMatchObject({
      level: 'warning',
      text: 'Warning: Undefined variable $example_0 in /srv/htdocs/wp-content/themes/example/functions.php:12',
    })
    const texts: string[] = []
    for (let part = await read('access', null); ; part = await read('access', part.cursor)) {
      texts.push(...part.lines.map(({ text }) => text))
      if (part.cursor === null) break
    }
    expect(new Set(texts).size).toBe(450)
    expect(texts[0]).toBe('GET /page-0/ 200 192.0.2.7 0.12 s')
  })

  test('metrics come in the periods that WP Cloud chooses', async () => {
    const { interval, samples } = (await act(site.name, 'get_metrics', { range: '7d' })) as {
      interval: number
      samples: { requests: number; cache_percent: number }[]
    }
    expect(interval).toBe(6300)
    expect(samples).toHaveLength(96)
    expect(samples[0]).toMatchObject({
      requests: 40,
      response_seconds: expect.closeTo(0.23) as number,
      cache_percent: 70,
    })
  })
})

describe('sites that the account has already', () => {
  const call = (name: string, params: object = {}) => {
    const method = part('feature').methods?.find((one) => one.name.endsWith(`.${name}`))
    return method?.run({ ...params }, { session: part('owner'), documents: part('running').documents } as never)
  }
  const listed = async () => (await call('list_unmanaged')) as { atomic_site_id: string; domain: string }[]

  test('are listed, added and read; WP Cloud’s own are not, and nothing is changed there', async () => {
    const [site, canary] = [await live('found.example'), await live('canary.example')]
    for (const one of [site, canary]) await forget(one)
    await part('provider').set(String(canary.atomic_site_id), '_data', '{"v1":{"site_type":"canary"}}')
    const found = (await listed()).find(({ domain }) => domain === 'found.example')
    expect((await listed()).map(({ domain }) => domain)).not.toContain('canary.example')
    const before = part('served').seen.length
    const result = (await call('import_sites', { sites: [found?.atomic_site_id, canary.atomic_site_id] })) as {
      added: string[]
      failed: unknown[]
    }
    expect(result).toEqual({ added: [expect.any(String)], failed: [] })
    const added = (await siteNow(String(result.added[0]))) as WpcSite
    await ended(added.locked_by_job)
    expect(await siteNow(added.name)).toMatchObject({
      ...{ domain: 'found.example', status: 'Live', php_version: '8.4', createdby_email: part('owner').user },
    })
    expect(
      part('served')
        .seen.slice(before)
        .filter(({ method }) => method === 'POST'),
    ).toEqual([])
    expect((await listed()).map(({ domain }) => domain)).not.toContain('found.example')
  })

  test('of which one that cannot be added does not keep the others out', async () => {
    const [first, second] = [await live('first.example'), await live('second.example')]
    for (const one of [first, second]) await forget(one)
    await part('running').documents.transaction(systemSession(), (tx) =>
      tx.insert(WpcSiteDoctype, {
        ...{ organization: 'acme', domain: 'first.example' },
        admin_user: 'a',
        admin_email: 'a@acme.example',
      }),
    )
    expect(await call('import_sites', { sites: [first.atomic_site_id, second.atomic_site_id] })).toMatchObject({
      added: [expect.any(String)],
      failed: [{ domain: 'first.example' }],
    })
  })
})
