import { createWriteStream } from 'node:fs'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { runSteps } from '../contracts/run-steps.ts'
import { eeSpec, startEeServer, type EeServer } from './ee-server.ts'
import type { BackupWhat } from '#shared/rules/backups.ts'
import type { EngineStep, SiteSpec } from '#server/engines/engine.ts'

/** What the simulated database of a WordPress holds, as far as these tests look at it. */
interface Content {
  options: Record<string, string>
  /** Tables besides those of WordPress: each as a dump has it. */
  tables?: Record<string, string>
}

/** A WordPress on a simulated server, for tests of restores, and its backup. */
export interface RestoreFixture {
  readonly t: EeServer
  readonly site: SiteSpec
  readonly archive: string
  inSite(path: string): string
  write(path: string, text: string): Promise<void>
  /** A file of the site; null without it. */
  read(path: string): Promise<string | null>
  /** Changes what the database has. */
  change(how: (state: Content) => void): Promise<void>
  restore(what: BackupWhat): EngineStep[]
  /** Steps of a job with this id. */
  runAs(operationId: string, steps: readonly EngineStep[]): Promise<void>
  /** Where the server keeps states. */
  inPlace(path?: string): string
}

/** Makes a site, has `prepare` put something in it, and backs it up. */
export async function startRestoreFixture(
  { id, domain, ...more }: Pick<SiteSpec, 'id' | 'domain'> & Partial<SiteSpec>,
  prepare: (made: RestoreFixture) => Promise<void>,
): Promise<RestoreFixture> {
  const t = await startEeServer()
  const site = eeSpec(t.server, { id, domain, title: 'Kept', ...more })
  const archive = join(t.root, 'site.tar.zst')
  const inSite = (path: string) => join(t.root, 'opt/easyengine/sites', domain, 'app/htdocs', path)
  const fixture: RestoreFixture = {
    ...{ t, site, archive, inSite },
    async write(path, text) {
      await mkdir(dirname(inSite(path)), { recursive: true })
      await writeFile(inSite(path), text)
    },
    read: (path) => readFile(inSite(path), 'utf8').catch(() => null),
    async change(how) {
      const folder = join(t.root, 'var/lib/simulated/databases')
      const [name = ''] = (await readdir(folder)).filter((one) => one.includes(id))
      const state = JSON.parse(await readFile(join(folder, name), 'utf8')) as Content
      how(state)
      await writeFile(join(folder, name), JSON.stringify(state))
    },
    restore: (what) => t.engine.restores.restoreSteps(site, { rehearsal: site, archive }, what),
    async runAs(operationId, steps) {
      await runSteps(steps, AbortSignal.timeout(300_000), operationId)
    },
    inPlace: (path = '') =>
      join(t.root, 'var/lib/docker/volumes', `${domain.replaceAll(/[.-]/g, '')}_htdocs/easydash-restore`, path),
  }
  await runSteps(t.engine.createSteps(site))
  await prepare(fixture)
  await runSteps(t.engine.backups.packSteps(site))
  await pipeline((await t.engine.backups.packed(site)).file.open(), createWriteStream(archive))
  await t.engine.backups.removePacked(site)
  return fixture
}
