import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Engine } from '#server/engines/engine.ts'
import type { HostInfo } from '#server/engines/site-host.ts'
import { createFakeEngine } from '#server/engines/fake/fake-engine.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Session } from '#server/contracts/session.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { withPassword } from '#tests/support/documents.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { makeOrganization, startTestProcess, type TestProcess } from '#tests/support/jobs.ts'
import { unreachable } from '#tests/support/servers.ts'
import { hasChanged, serverFields, uptimeText } from './server-fields.ts'
import { migrate } from '#server/tables.ts'
import { createServers, type Servers } from './servers.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'

let database: TestDatabase
let running: TestProcess
let engine: Engine
let servers: Servers
let owner: Session
let host: HostInfo = {
  hostname: 'testbox',
  os: 'Debian 12',
  kernel: '6.1',
  processor: 'Test CPU',
  cpu: 2,
  ram: 4e9,
  disk: 1e11,
  diskFree: 5e10,
  totalSwap: 0,
  timezone: 'UTC',
  uptimeSeconds: 90_061,
}
let broken = false
let now = Date.parse('2026-05-01T12:00:00Z')

beforeAll(async () => {
  database = await createProductDatabase()
  engine = {
    ...createFakeEngine({ folder: await mkdtemp(join(tmpdir(), 'easydash-servers-')) }),
    hostInfo: () => (broken ? Promise.reject(new Error('no')) : Promise.resolve(host)),
  }
  running = await startTestProcess(database.database, {
    start: false,
    features: ({ documents, jobs }) => {
      servers = createServers({
        jobs: () => jobs,
        documents,
        engines: { fake: engine },
        log: silentLog,
        installationKey: async () => null,
        ...unreachable,
        clock: { now: () => now, setTimeout: () => null, clearTimeout: () => undefined },
      })
      return { controllers: servers.controllers }
    },
  })
  await servers.prepare()
  owner = await makeOrganization(running.documents, 'acme', { local_engine: 1 })
})
afterAll(async () => {
  await running?.stop()
  await database?.drop()
})

const rows = (organization: string) =>
  running.documents.transaction(systemSession(), (tx) => tx.list(ServerDoctype, [['organization', '=', organization]]))
const refresh = async () => {
  for (const run of (await servers.schedules[0].hosts()).values()) await run()
}

describe('names', () => {
  let namer: Session
  beforeAll(async () => {
    namer = await makeOrganization(running.documents, 'names')
  })
  const add = (hostname: string) =>
    running.documents.insert(namer, 'Server', { organization: 'names', hostname, cloud_provider: 'Custom' })
  const named = async (start: string) =>
    (await rows('names')).flatMap(({ hostname }) => (hostname.startsWith(start) ? [hostname] : [])).toSorted()

  test('of two servers that get one name at once, one is added', async () => {
    const refused = { code: 'invalid', field: 'hostname', excType: 'UniqueValidationError' }
    const results = await Promise.allSettled([add('twin.example.com'), add('twin.example.com')])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refused })
    const other = await add('single.example.com')
    const rename = running.documents.save(namer, 'Server', String(other.name), { hostname: 'twin.example.com' })
    await expect(rename).rejects.toMatchObject(refused)
    expect(await named('twin')).toEqual(['twin.example.com'])
  })

  test('the name of a decommissioned server can be given again', async () => {
    const old = await add('again.example.com')
    await running.documents.transaction(systemSession(), (tx) =>
      tx.updateColumns(ServerDoctype, String(old.name), { status: 'Decommissioned' }),
    )
    await add('again.example.com')
    expect(await named('again')).toEqual(['again.example.com', 'again.example.com'])
  })

  test('servers of one name from before are numbered', async () => {
    const { pool } = database.database
    await add('before.example.com')
    const second = await add('later.example.com')
    await pool.query('drop index u_server_organization_hostname')
    await pool.query("update tab_server set hostname = 'before.example.com' where name = $1", [second.name])
    await migrate(database.database)
    expect(await named('before')).toEqual(['before.example.com', `before.example.com-2-${String(second.name)}`])
    await migrate(database.database)
    await expect(add('before.example.com')).rejects.toMatchObject({ field: 'hostname' })
  })
})

describe('this machine', () => {
  test('is a healthy development server of the first organization, with its real facts', async () => {
    expect(await rows('acme')).toMatchObject([
      {
        hostname: 'testbox',
        engine: 'fake',
        engine_host: 'fake:this',
        status: 'Healthy',
        server_category: 'development',
        cloud_provider: 'Custom',
        cpu: 2,
        ram: 4e9,
        disk: 1e11,
        os: 'Debian 12',
        kernel: '6.1',
        processor: 'Test CPU',
        timezone: 'UTC',
        uptime: '1 day, 1 hour',
        booted_at: '2026-04-30 10:59:00.000000',
        _owner: 'owner@acme.example',
      },
    ])
  })

  test('is added once to another organization that is granted it', async () => {
    await makeOrganization(running.documents, 'globex')
    expect(await rows('globex')).toEqual([])
    const grant = (value: 0 | 1) =>
      running.documents.transaction(systemSession(), (tx) =>
        tx.update(OrganizationDoctype, 'globex', { local_engine: value }),
      )
    await grant(1)
    await grant(0)
    await grant(1)
    expect(await rows('globex')).toHaveLength(1)
  })

  test('has a name of its own where another server is called like it, also once that is measured', async () => {
    await makeOrganization(running.documents, 'hooli')
    await running.documents.transaction(systemSession(), async (tx) => {
      await tx.insert(ServerDoctype, { organization: 'hooli', hostname: 'testbox', engine: 'ee' })
      await tx.update(OrganizationDoctype, 'hooli', { local_engine: 1 })
    })
    const names = async () => (await rows('hooli')).map(({ hostname }) => hostname).toSorted()
    expect(await names()).toEqual(['testbox', 'testbox-2'])
    await refresh()
    expect(await names()).toEqual(['testbox', 'testbox-2'])
  })

  test('is taken away again with the grant, but not while a site is on it, archived ones included', async () => {
    await makeOrganization(running.documents, 'initech')
    const platformAdmin: Session = { ...owner, user: 'root@example.com', organization: null, platformAdmin: true }
    const grant = (value: 0 | 1) =>
      running.documents.transaction(platformAdmin, (tx) =>
        tx.update(OrganizationDoctype, 'initech', { local_engine: value }),
      )
    await grant(1)
    const [machine] = await rows('initech')
    const site = await running.documents.transaction(systemSession(), (tx) =>
      tx.insert(SiteDoctype, { organization: 'initech', server: machine?.name, domain: 'old', status: 'Archived' }),
    )
    await expect(grant(0)).rejects.toMatchObject({ code: 'invalid', field: 'granted', excType: 'LinkExistsError' })
    expect(await rows('initech')).toHaveLength(1)
    await running.documents.transaction(systemSession(), (tx) => tx.delete(SiteDoctype, site.name))
    await grant(0)
    expect(await rows('initech')).toEqual([])
    expect(await rows('acme')).toHaveLength(1)
  })

  test('of a new site and a concurrent end of the grant one succeeds', async () => {
    for (const turn of [1, 2, 3, 4]) {
      const grant = (value: 0 | 1) =>
        running.documents.transaction(systemSession(), (tx) =>
          tx.update(OrganizationDoctype, 'initech', { local_engine: value }),
        )
      await grant(1)
      const [machine] = await rows('initech')
      const [added, ended] = await Promise.allSettled([
        running.documents.transaction(systemSession(), (tx) =>
          tx.insert(SiteDoctype, { organization: 'initech', server: machine?.name, domain: `site-${turn}` }),
        ),
        grant(0),
      ])
      expect([added.status, ended.status].toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await rows('initech')).toHaveLength(added.status === 'fulfilled' ? 1 : 0)
      if (added.status === 'fulfilled')
        await running.documents.transaction(systemSession(), (tx) => tx.delete(SiteDoctype, added.value.name))
      await grant(0)
    }
  })

  test('of a server deletion and a concurrent new site on it one succeeds', async () => {
    const server = await running.documents.transaction(systemSession(), (tx) =>
      tx.insert(ServerDoctype, { organization: 'acme', hostname: 'gone.example.com' }),
    )
    const [added, deleted] = await Promise.allSettled([
      running.documents.transaction(systemSession(), (tx) =>
        tx.insert(SiteDoctype, { organization: 'acme', server: server.name, domain: 'on-it' }),
      ),
      running.documents.delete(withPassword(owner), 'Server', server.name),
    ])
    expect([added.status, deleted.status].toSorted()).toEqual(['fulfilled', 'rejected'])
    if (added.status === 'fulfilled') {
      await running.documents.transaction(systemSession(), (tx) => tx.delete(SiteDoctype, added.value.name))
      await running.documents.delete(withPassword(owner), 'Server', server.name)
    }
  })

  test('a server is not deleted while a job works on a site of it, and the refusal names the job', async () => {
    const [server, job] = await running.documents.transaction(systemSession(), async (tx) => {
      const { name } = await tx.insert(ServerDoctype, { organization: 'acme', hostname: 'busy.example.com' })
      const work = { organization: 'acme', job_type: 'site.create', label: 'Create blog', shared_server: name }
      return [name, await tx.insert(JobDoctype, { ...work, reference_title: 'blog', status: 'Running' })] as const
    })
    const remove = () => running.documents.delete(withPassword(owner), 'Server', server)
    const withoutPassword = running.documents.delete(owner, 'Server', server)
    await expect(withoutPassword).rejects.toMatchObject({ code: 'forbidden', field: 'password' })
    const message = '“Create blog” is still running. Wait for it or cancel it.'
    await expect(remove()).rejects.toMatchObject({ code: 'locked', message })
    await running.documents.transaction(systemSession(), (tx) =>
      tx.updateColumns(JobDoctype, job.name, { status: 'Done', ended: '2026-05-01 12:00:00.000000' }),
    )
    await remove()
  })

  test('is measured again: drift alone does not count as an edit, new values do', async () => {
    const [before] = await rows('acme')
    now += 120_000
    host = { ...host, uptimeSeconds: host.uptimeSeconds + 120, diskFree: host.diskFree - 1e8 }
    await refresh()
    const [drifted] = await rows('acme')
    expect(drifted).toMatchObject({
      modified: before?.modified,
      disk_free: 5e10 - 1e8,
      checked_at: '2026-05-01 12:02:00.000000',
    })
    host = { ...host, kernel: '6.2' }
    await refresh()
    const [changed] = await rows('acme')
    expect(changed?.kernel).toBe('6.2')
    expect(changed?.modified).not.toBe(before?.modified)
  })

  test('that cannot be measured is Degraded until it can', async () => {
    broken = true
    await refresh()
    const [degraded] = await rows('acme')
    expect(degraded).toMatchObject({
      status: 'Degraded',
      failure_reason: expect.stringMatching(/could not be measured: .*tried again every minute/),
      failure_since: expect.stringMatching(/^2026-05-01 12:0/),
    })
    // The last contact is the last measurement, and a further failure is no new problem.
    const { checked_at: contact, failure_since: since } = degraded ?? {}
    now += 60_000
    await refresh()
    expect((await rows('acme'))[0]).toMatchObject({ status: 'Degraded', checked_at: contact, failure_since: since })
    now -= 60_000
    broken = false
    await refresh()
    expect((await rows('acme'))[0]).toMatchObject({ status: 'Healthy', failure_reason: null, failure_since: null })
  })

  test('is measured by its action, and cannot be deleted', async () => {
    const [server] = await rows('acme')
    now += 60_000
    expect(await running.documents.runAction(owner, 'Server', server?.name ?? '', 'refresh_facts', {})).toEqual({
      checked_at: '2026-05-01 12:03:00.000000',
    })
    await expect(running.documents.delete(withPassword(owner), 'Server', server?.name ?? '')).rejects.toMatchObject({
      code: 'invalid',
    })
  })
})

describe('a manually added server', () => {
  test('is Disconnected and not measured from here; its host name is checked', async () => {
    const doc = await running.documents.insert(owner, 'Server', {
      hostname: 'web-1.example.com',
      server_category: 'production',
      engine_host: 'fake:this',
    })
    await expect(running.documents.insert(owner, 'Server', { engine: 'fake' })).rejects.toMatchObject({
      code: 'forbidden',
      field: 'engine',
    })
    expect(doc).toMatchObject({ status: 'Disconnected', engine: 'ee', cloud_provider: 'Custom' })
    expect(doc).toMatchObject({
      failure_reason: expect.stringMatching(/\S/),
      failure_since: expect.stringMatching(/\d/),
    })
    for (const hostname of ['not a host', 'web\u200b.example.com', 'web\u0007.example.com', 'web\u202e.example.com'])
      await expect(running.documents.insert(owner, 'Server', { hostname })).rejects.toMatchObject({
        code: 'invalid',
        field: 'hostname',
      })
    await expect(running.documents.runAction(owner, 'Server', doc.name, 'refresh_facts', {})).rejects.toMatchObject({
      code: 'unsupported',
    })
    await running.documents.delete(withPassword(owner), 'Server', doc.name)
  })
})

describe('an edit says nothing untrue', () => {
  test('detected facts of this machine cannot be set; its category and keys can', async () => {
    const [machine] = await rows('acme')
    const save = (values: Record<string, unknown>) =>
      running.documents.save(owner, 'Server', machine?.name ?? '', values)
    for (const [field, value] of [
      ['hostname', 'elsewhere.example.com'],
      ['public_ipv4', '192.0.2.1'],
      ['vm_type', 'cx22'],
      ['cloud_provider', 'Hetzner'],
    ] as const)
      await expect(save({ [field]: value })).rejects.toMatchObject({ code: 'invalid', field })
    expect(await save({ server_category: 'production', hostname: machine?.hostname })).toMatchObject({
      server_category: 'production',
      hostname: machine?.hostname,
    })
    expect(await save({ server_category: 'development', authorized_keys: null })).toMatchObject({
      server_category: 'development',
    })
  })

  test('the order of a machine is set once, and a new host name is checked', async () => {
    const ordered = {
      ...{ cloud_provider: 'Hetzner', vm_country: 'DE', vm_region: 'fsn1', vm_type: 'cx22', vm_image: 'ubuntu-24.04' },
      ...{ vm_ebs_size: 50, plan: 'small', is_imported_with_ee: 1, public_ipv4_server_import: '192.0.2.9' },
    }
    const wanted = { hostname: 'web-2.example.com', ...ordered }
    for (const field of ['vm_region', 'vm_type'])
      await expect(running.documents.insert(owner, 'Server', { ...wanted, [field]: null })).rejects.toMatchObject({
        field,
      })
    const doc = await running.documents.insert({ ...owner, kind: 'system' }, 'Server', wanted)
    expect(doc).toMatchObject(ordered)
    const save = (values: Record<string, unknown>) => running.documents.save(owner, 'Server', doc.name, values)
    const others = {
      ...{ cloud_provider: 'AWS', vm_country: 'FI', vm_region: 'hel1', vm_type: 'cx32', vm_image: 'debian-12' },
      ...{ vm_ebs_size: 60, plan: 'large', is_imported_with_ee: 0, public_ipv4_server_import: '192.0.2.10' },
    }
    for (const [field, value] of Object.entries(others))
      await expect(save({ [field]: value })).rejects.toMatchObject({ field, excType: 'CannotChangeConstantError' })
    for (const field of ['public_ipv4', 'private_ipv4', 'floating_ip', 'public_ipv4_server_import'])
      await expect(save({ [field]: '169.254.169.254' })).rejects.toMatchObject({ code: 'invalid', field })
    await expect(save({ hostname: 'no host; reboot' })).rejects.toMatchObject({ code: 'invalid', field: 'hostname' })
    expect(await save({ ...ordered, hostname: 'web-3.example.com', floating_ip: '192.0.2.7' })).toMatchObject({
      ...ordered,
      hostname: 'web-3.example.com',
      floating_ip: '192.0.2.7',
    })
    await running.documents.delete(withPassword(owner), 'Server', doc.name)
  })
})

describe('wording and changes', () => {
  test.each([
    [0, 'less than a minute'],
    [59, 'less than a minute'],
    [60, '1 minute'],
    [3660, '1 hour, 1 minute'],
    [90_061, '1 day, 1 hour'],
    [172_800, '2 days'],
  ])('%i seconds are "%s"', (seconds, text) => {
    expect(uptimeText(seconds)).toBe(text)
  })

  test('a restart of the machine is a change, a start measured a second apart is not', () => {
    const server = serverFields(host, now) as Server
    expect(hasChanged(server, serverFields({ ...host, uptimeSeconds: host.uptimeSeconds - 1 }, now))).toBe(false)
    expect(hasChanged(server, serverFields({ ...host, uptimeSeconds: 10 }, now))).toBe(true)
  })
})
