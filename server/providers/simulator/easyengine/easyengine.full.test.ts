import { createServer } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { portOf } from '#server/platform/network/port-of.ts'
import { createTestMachine } from './easyengine-fixture.ts'
import { put } from './machine.ts'

let t: ReturnType<typeof createTestMachine>
beforeEach(async () => {
  t = createTestMachine()
  await t.site('shop.example', '--title=Shop', '--admin-user=ann')
})
afterEach(() => t.remove())

const blogname = async (domain: string) => (await t.wp(domain, ['option', 'get', 'blogname'])).out.trim()
const linesOf = (out: string) =>
  out
    .trim()
    .split('\n')
    .filter((one) => one !== '')

test('backups: kept on the remote, pruned, restored, and told to the dashboard', async () => {
  expect((await t.ee('site backup shop.example')).err).toContain('rclone is not installed.')
  put(join(t.root, 'bin/rclone'), '')
  expect((await t.ee('site backup shop.example')).err).toContain('rclone backend "easyengine" does not exist.')
  t.write('root/.config/rclone/rclone.conf', '[store]\ntype = s3\nprovider = Other\n')
  await t.ee('config set rclone-path store:bucket/prefix')
  expect(await t.ee('site backup shop.example')).toMatchObject({ code: 0 })
  const [id = ''] = linesOf((await t.ee('site backup shop.example --list')).out)
  expect(id).toMatch(/^\d{10}_\d{4}(?:-\d\d){5}$/)
  const { out } = await t.run('rclone', ['lsf', `store:bucket/prefix/shop.example/${id}`])
  expect(linesOf(out).toSorted()).toEqual(['conf.zip', 'metadata.json', 'shop.example.zip'])

  await t.wp('shop.example', ['option', 'update', 'blogname', 'Changed'])
  expect(await t.ee(`site restore shop.example --id=${id}`)).toMatchObject({ code: 0 })
  expect(await blogname('shop.example')).toBe('Shop')
  expect((await t.ee('site restore shop.example --id=1')).code).toBe(1)

  const told: Record<string, unknown>[] = []
  let status = 200
  const dashboard = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      told.push({ ...(JSON.parse(body) as object), method: request.url?.split('.').at(-1) })
      response.writeHead(status).end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(dashboard, 'listening')
  await t.ee(`config set ed-api-url http://127.0.0.1:${portOf(dashboard)}/api/method/`)
  await t.ee('site backup shop.example --dash-auth=backup-1:token')
  const metadata = expect.objectContaining({ post_count: 1, wp_version: '6.8.2', site_type: 'wp' }) as unknown
  expect(told.pop()).toEqual({
    site: 'shop.example',
    backup: 'backup-1',
    verify: 'token',
    metadata,
    method: 'on_ee_backup_success',
  })
  // What the dashboard rejects is removed from the remote, and the exit code is 0 nevertheless.
  status = 400
  const count = async () => linesOf((await t.ee('site backup shop.example --list')).out).length
  const before = await count()
  expect((await t.ee('site backup shop.example --dash-auth=backup-2:token')).code).toBe(0)
  expect(await count()).toBe(before)
  status = 200
  await t.ee('config set no-of-backups 1')
  // Pruning starts with two more than are kept.
  for (const left of [1, 2, 1]) {
    await t.ee('site backup shop.example')
    expect(await count()).toBe(left)
  }
  t.setTraps('disk_full')
  expect((await t.ee('site backup shop.example --dash-auth=backup-3:token')).code).toBe(1)
  expect(told.pop()).toMatchObject({ error_type: 'filesystem_error', error_code: 3002, method: 'on_ee_backup_failure' })
  dashboard.close()
  expect(t.violations()).toEqual([])
})

test('copies have addresses of their own', async () => {
  await t.wp('shop.example', ['plugin', 'activate', 'akismet'])
  expect(await t.ee('site clone shop.example copy.example --ssl=off')).toMatchObject({ code: 0 })
  expect((await t.wp('copy.example', ['option', 'get', 'siteurl'])).out).toBe('http://copy.example\n')
  await t.wp('shop.example', ['option', 'update', 'blogname', 'Newer'])
  await t.ee('site sync shop.example copy.example --db')
  expect(await blogname('copy.example')).toBe('Newer')
  await t.ee('config set env production')
  expect((await t.ee('site sync shop.example copy.example')).code).toBe(1)
})

test('events of WordPress are scheduled once in ten minutes, and run when they are due', async () => {
  const wp = (...words: string[]) => t.wp('shop.example', ['cron', 'event', ...words])
  expect((await wp('schedule', 'tidy', 'now')).out).toMatch(
    /^Success: Scheduled event with hook 'tidy' for \d{4}-\d\d-\d\d \d\d:\d\d:\d\d GMT\.\n$/,
  )
  expect(await wp('schedule', 'tidy')).toMatchObject({ code: 1, err: 'Error: Event not scheduled.\n' })
  expect((await wp('schedule', 'tidy', '4102444800')).out).toContain('for 2100-01-01 00:00:00 GMT.')
  expect(await wp('schedule', 'tidy', 'nonsense')).toMatchObject({
    code: 1,
    err: "Error: 'nonsense' is not a valid datetime.\n",
  })
  expect((await wp('run')).err).toContain('Please specify one or more cron events')
  // The one that WordPress has from its beginning is due, too.
  const { out } = await wp('run', '--due-now')
  expect(out).toContain("Executed the cron event 'tidy' in")
  expect(out).toContain('Success: Executed a total of 2 cron events.\n')
  expect((await wp('run', 'tidy')).out).toContain('Executed a total of 1 cron event.\n')
  expect((await wp('run', 'tidy')).err).toBe("Error: Invalid cron event 'tidy'\n")
  expect(t.violations()).toEqual([])
})

test('scheduled jobs', async () => {
  const create = (...words: string[]) => t.run('ee', ['cron', 'create', 'shop.example', ...words])
  expect(await create('--command=wp cron event run --due-now', '--schedule=*/5 * * * *')).toMatchObject({ code: 0 })
  expect(await create('--command=date; id', '--schedule=@daily')).toMatchObject({ code: 1 })
  expect(await create('--command=date', '--schedule=* * *')).toMatchObject({ code: 1 })
  const { out } = await t.ee('cron list shop.example')
  expect(out).toMatch(
    /\| 2 +\| shop\.example \| www-data \| sh -c 'wp cron event run --due-now' \| 0 \*\/5 \* \* \* \*/,
  )
  // Only one-character fields, and no field of seconds.
  const update = (schedule: string) => t.run('ee', ['cron', 'update', '2', `--schedule=${schedule}`])
  expect([(await update('*/5 * * * *')).code, (await update('1 2 * * *')).code]).toEqual([1, 0])
  await t.ee('cron delete 2')
  expect((await t.ee('cron run-now 2')).code).toBe(1)
})

test('authentication, addresses and MailHog', async () => {
  await t.ee('auth create shop.example --user=guest --pass=secret')
  expect(await t.ee('auth create shop.example --user=guest --pass=secret')).toMatchObject({ code: 1 })
  // Two documents, one after the other: that of the site and the global one.
  const { out } = await t.ee('auth list shop.example --format=json')
  expect(out).toMatch(
    /^\[\{"username":"guest","password":"secret"\}\]\[\{"username":"easyengine","password":"\w+"\}\]$/,
  )
  await t.ee('auth create shop.example --ip=192.0.2.1')
  expect(t.read('opt/easyengine/services/nginx-proxy/vhost.d/shop.example_acl')).toBe(
    'satisfy any;\nallow 192.0.2.1;\ndeny all;',
  )
  expect((await t.ee('auth create shop.example --ip=192.0.2.2')).code).toBe(1)
  await t.ee('auth update shop.example --ip=192.0.2.2')
  await t.ee('auth delete shop.example --ip')
  expect(t.read('opt/easyengine/services/nginx-proxy/vhost.d/shop.example_acl')).toBeNull()
  expect((await t.ee('mailhog status shop.example')).out).toBe('Mailhog is DOWN for shop.example site.\n')
  await t.ee('mailhog enable shop.example')
  const mailhog = ['ps', '--filter', 'label=com.docker.compose.service=mailhog', '--format', '{{.Names}}']
  expect((await t.run('docker', mailhog)).out).toBe('shopexample-mailhog-1\n')
  expect((await t.ee('mailhog enable shop.example')).code).toBe(1)
})

test('aliases, the proxy cache and certificates that cannot be changed', async () => {
  const update = (option: string) => t.ee(`site update shop.example ${option} --le-mail=ops@a.example`)
  const wildcard = 'opt/easyengine/services/nginx-proxy/conf.d/shop.example.conf'
  expect(await update('--proxy-cache=on --proxy-cache-max-size=1g --proxy-cache-max-time=bad')).toMatchObject({
    code: 0,
    err: expect.stringContaining('replacing it with default:1s'),
  })
  expect(t.read(wildcard)).toContain('max_size=1g')
  await update('--add-alias-domains=www.shop.example,shop.test')
  await update('--delete-alias-domains=shop.test')
  expect((await t.ee('site info shop.example')).out).toMatch(/Alias Domains +\| www\.shop\.example /)
  expect((await update('--delete-alias-domains=shop.example')).code).toBe(1)
  await update('--ssl=self')
  expect((await update('--ssl=self')).code, 'enabled already').toBe(1)
  // The compose file changes before the error, the row does not.
  expect((await update('--add-alias-domains=new.example')).code).toBe(1)
  expect(t.read('opt/easyengine/sites/shop.example/docker-compose.yml')).toContain('new.example')
  expect((await t.ee('site info shop.example')).out).not.toContain('new.example')
  expect((await update('--php=8.4 --ssl=off')).code).toBe(1)
  expect(t.violations()).toEqual(['ee site update: more than one kind of change in a call'])
})
