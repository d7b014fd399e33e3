import { mkdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { SiteQuota, SiteStorage } from '#shared/rules/site-quotas.ts'
import type { SiteSpec } from '../../engine.ts'
import { startFixture, until, type EngineFixture } from '../engine-fixture.ts'
import type { LocalEngineOptions } from '../local-engine.ts'

const quota = (disk_mb: number): SiteQuota => ({ disk_mb, files: 1_000, log_mb: 1, outbox_mb: 1 })
const megabyte = 1_048_576

describe('quotas from outside of a site’s process', () => {
  let fixture: EngineFixture
  let ahead = 0
  let reported: Array<{ id: string; storage: SiteStorage }> = []
  const start = async (changes: Partial<LocalEngineOptions> = {}): Promise<void> => {
    fixture = await startFixture({ clock: () => Date.now() + ahead, ...changes })
    fixture.engine.quotas.onStorage((id, storage) => reported.push({ id, storage }))
  }
  const www = ({ id }: SiteSpec): string => join(fixture.dataDir, 'local', 'sites', id, 'www')
  /** Writes without the quota check, like code that escaped from PHP; a sparse file, so that it uses no disk space here. */
  const writePast = async (site: SiteSpec, mb: number): Promise<void> => {
    await writeFile(join(www(site), 'large'), '')
    await truncate(join(www(site), 'large'), mb * megabyte)
  }
  const nextRound = async (minutes = 1.1): Promise<void> => {
    ahead += minutes * 60_000
    await fixture.engine.round()
  }
  const isAwake = (site: SiteSpec): boolean => fixture.engine.processes().some(({ id }) => id === site.id)
  afterEach(async () => {
    await fixture.end()
    reported = []
  })

  it('suspends a site that holds more than its process could write, across restarts, until its quota allows it', async () => {
    await start()
    const { dataDir } = fixture
    const site = await fixture.create()
    const other = await fixture.create()
    await fixture.engine.quotas.set(site.id, quota(5))
    expect((await fixture.fetch(site, '/')).status).toBe(200)
    await nextRound()
    expect(reported.at(-1)).toMatchObject({ storage: { state: 'ok', at_least: false } })
    await writePast(site, 200)
    await nextRound()
    expect(reported.findLast(({ id }) => id === site.id)?.storage).toMatchObject({
      state: 'suspended',
      quota: quota(5),
    })
    expect(isAwake(site)).toBe(false)
    for (const path of ['/', '/large']) {
      const response = await fixture.fetch(site, path)
      expect([response.status, response.body]).toEqual([503, expect.stringContaining('suspended')])
    }
    await expect(fixture.engine.runCron({ ...site, siteType: 'wp' })).resolves.toBe(0)
    expect((await fixture.fetch(other, '/')).status).toBe(200)
    expect((await fixture.engine.observe(site)).storage?.state).toBe('suspended')

    await fixture.engine.stop()
    fixture = await startFixture({ dataDir, clock: () => Date.now() + ahead })
    await fixture.engine.quotas.set(site.id, quota(5))
    expect((await fixture.fetch(site, '/')).status).toBe(503)
    await fixture.engine.quotas.set(site.id, quota(300))
    await fixture.engine.round()
    expect((await fixture.fetch(site, '/')).status).toBe(200)
    await fixture.engine.destroy(site)
    await fixture.engine.destroy(other)
    await fixture.end()
    await rm(dataDir, { recursive: true, force: true })
    await start()
  })

  it('are held by the site’s own process: what is too much is refused, what is there can be removed', async () => {
    await start()
    const site = await fixture.create()
    await fixture.engine.quotas.set(site.id, { disk_mb: 3, files: 60, log_mb: 1, outbox_mb: 1 })
    const write = (name: string, mb: number): Promise<string> =>
      fixture.php(site, `echo json_encode(@file_put_contents('${name}', str_repeat('x', ${mb} * 1048576)));`)
    expect(await write('a', 2)).toBe(String(2 * megabyte))
    expect(await write('b', 2)).toBe('false')
    expect(await fixture.php(site, `unlink('a'); unlink('b'); echo 'gone';`)).toBe('gone')
    expect(await write('c', 2)).toBe(String(2 * megabyte))
    const made = await fixture.php(site, `for ($n = 0; @touch("f$n"); $n++); echo $n;`)
    expect(Number(made)).toBeGreaterThan(30)
    expect(Number(made)).toBeLessThan(60)
    await fixture.php(site, `foreach (glob('f*') as $f) unlink($f);`)
    const mails = `for ($n = 0; $n < 5 && mail('a@example.com', 'Subject', str_repeat('x', 300000)); $n++); echo $n;`
    expect(await fixture.php(site, mails)).toBe('3')
    const log = join(www(site), '..', 'logs', 'php-errors.log')
    await fixture.php(
      site,
      `foreach ([50000, 1000, 1] as $size) while (@file_put_contents('/easydash/logs/php-errors.log', str_repeat('x', $size), FILE_APPEND) === $size);`,
    )
    expect((await stat(log)).size).toBe(megabyte)
    await nextRound()
    expect(reported.findLast(({ id }) => id === site.id)?.storage.state).not.toBe('suspended')
    // The oldest captured emails were removed, so that there is space for the next.
    expect(await fixture.php(site, mails)).not.toBe('0')
    // A full log has been emptied and is written again.
    await fixture.php(site, `error_log('after');`)
    expect((await fixture.errors(site)).at(-1)).toContain('after')
  })

  it('reactivates a suspended site when the excess is deleted', async () => {
    await start()
    const site = await fixture.create()
    await fixture.engine.quotas.set(site.id, quota(5))
    await fixture.fetch(site, '/')
    await nextRound()
    await writePast(site, 200)
    await nextRound()
    await rm(join(www(site), 'large'))
    expect((await fixture.fetch(site, '/')).status).toBe(503)
    await nextRound(11)
    expect((await fixture.fetch(site, '/')).status).toBe(200)
  })

  it('stop too many files as well as too large ones', async () => {
    await start()
    const site = await fixture.create()
    await fixture.engine.quotas.set(site.id, { ...quota(500), files: 50 })
    await fixture.fetch(site, '/')
    await nextRound()
    await mkdir(join(www(site), 'many'))
    for (let at = 0; at < 1_200; at += 1) await writeFile(join(www(site), 'many', `f${at}`), '')
    await nextRound()
    expect(reported.at(-1)?.storage.state).toBe('suspended')
  })

  it('stops a site with folders that cannot be counted until they are deleted', async () => {
    await start()
    const site = await fixture.create()
    await fixture.fetch(site, '/')
    await mkdir(join(www(site), 'deep', ...Array.from({ length: 250 }, () => 'd')), { recursive: true })
    await nextRound()
    expect(reported.at(-1)?.storage).toMatchObject({ state: 'suspended', at_least: true })
    expect((await fixture.fetch(site, '/')).body).toContain('suspended')
    await rm(join(www(site), 'deep'), { recursive: true })
    await nextRound(11)
    expect((await fixture.fetch(site, '/')).status).toBe(200)
  })

  it('begin with what a process wrote that was killed', async () => {
    await start()
    const site = await fixture.create()
    await fixture.engine.quotas.set(site.id, quota(5))
    const write = (name: string) => fixture.php(site, `echo @file_put_contents('${name}', str_repeat('x', 2097152));`)
    expect(await write('a')).toBe('2097152')
    const pid = fixture.engine.processes()[0]?.pid ?? 0
    process.kill(pid, 'SIGKILL')
    await until(() => fixture.engine.processes().some((one) => one.pid !== pid))
    expect(await write('b')).toBe('2097152')
    expect(await write('c')).toBe('')
  })

  it('let a site run whose quota was made smaller than what it holds, and call it full', async () => {
    await start()
    const site = await fixture.create()
    await writePast(site, 200)
    await fixture.engine.quotas.set(site.id, quota(5))
    expect((await fixture.fetch(site, '/')).status).toBe(200)
    await nextRound()
    expect(reported.at(-1)?.storage.state).toBe('full')
    expect(isAwake(site)).toBe(true)
  })

  it('stops an awake site when its quota changes', async () => {
    await start()
    const site = await fixture.create()
    const pid = fixture.engine.processes()[0]?.pid
    await fixture.engine.quotas.set(site.id, quota(50))
    expect(isAwake(site)).toBe(false)
    await fixture.fetch(site, '/')
    expect(fixture.engine.processes()[0]?.pid).not.toBe(pid)
    const again = fixture.engine.processes()[0]?.pid
    await fixture.engine.quotas.set(site.id, quota(50))
    expect(fixture.engine.processes()[0]?.pid).toBe(again)
  })

  it('refuses to restore a site that exceeds its quota before changing anything', async () => {
    await start()
    const site = await fixture.create()
    await writePast(site, 20)
    const signal = AbortSignal.timeout(300_000)
    const context = { operationId: 'test', log: () => undefined, progress: () => undefined, signal }
    for (const step of fixture.engine.archiveSteps(site)) await step.run(context)
    await fixture.engine.quotas.set(site.id, quota(5))
    const [unpack] = fixture.engine.restoreArchiveSteps(site)
    await expect(unpack?.run(context)).rejects.toMatchObject({ code: 'invalid' })
    expect((await fixture.engine.observe(site)).state).toBe('archived')
    await fixture.engine.quotas.set(site.id, quota(50))
    for (const step of fixture.engine.restoreArchiveSteps(site)) await step.run(context)
    expect((await fixture.fetch(site, '/')).status).toBe(200)
  })

  it('keeps all sites from growing when the disk is nearly full, and keeps serving them', async () => {
    await start({ minFreeBytes: Number.MAX_SAFE_INTEGER })
    const site = await fixture.create()
    await nextRound()
    expect((await fixture.fetch(site, '/')).status).toBe(200)
    await nextRound()
    expect(reported.at(-1)?.storage.state).toBe('disk_full')
  })
})
