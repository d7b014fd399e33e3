import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { ImportSpec, SiteImports } from '../site-imports.ts'
import { fakeHomepage, readFakeArchive, type FakeArchive } from './fake-archives.ts'
import type { FakeContext } from './fake-context.ts'
import { assertNewRef } from './fake-site.ts'
import { claimDomain, fakeStep } from './fake-steps.ts'
import { existingSite, writeSite } from './fake-store.ts'

/** Imports of what the fake engine packed. */
export function createFakeImports(context: FakeContext): SiteImports {
  return {
    async take(archive, path) {
      const kept = pathOf(context, archive)
      mkdirSync(folderOf(context), { recursive: true })
      if (!existsSync(kept)) copyFileSync(path, kept)
      try {
        const { manifest } = await readArchive(context, archive)
        return { siteType: manifest.type, title: manifest.title, phpVersion: manifest.php_version }
      } catch (error) {
        rmSync(kept, { force: true })
        throw error
      }
    },
    discard: async (archive) => rmSync(pathOf(context, archive), { force: true }),
    expire: async (before) => {
      if (!existsSync(folderOf(context))) return
      for (const name of readdirSync(folderOf(context)))
        if (statSync(join(folderOf(context), name)).mtimeMs < before) rmSync(join(folderOf(context), name))
    },
    importSteps: (target) => {
      assertNewRef(target)
      const spec = { ...target, title: target.title ?? target.domain, adminUser: '', adminEmail: '', adminPassword: '' }
      const files = fakeStep(context, target, 'copy_files', 'Unpack the files', () =>
        writeSite(context, claimDomain(context, spec)),
      )
      return [
        {
          ...files,
          run: async (step) => {
            const { state, manifest } = await readArchive(context, target.archive)
            await files.run(step)
            const { management, wordpress = {}, adminUser = 'admin' } = state
            const title = target.title ?? wordpress.title ?? manifest.title
            writeSite(context, {
              ...existingSite(context, target),
              adminUser,
              ...(management === undefined ? {} : { management }),
              wordpress: { ...wordpress, ...(title === null ? {} : { title }) },
            })
          },
        },
        fakeStep(context, target, 'check', 'Check that the site answers', () => {
          writeSite(context, { ...existingSite(context, target), state: 'running' })
        }),
      ]
    },
    compare: (site, signal) => {
      signal.throwIfAborted()
      return compare(context, site)
    },
  }
}

const folderOf = ({ options }: FakeContext): string => join(options.folder, 'imports')

function pathOf(context: FakeContext, archive: string): string {
  if (/^[0-9a-f]{32}$/.test(archive)) return join(folderOf(context), `${archive}.zip`)
  throw new EngineError('invalid', msg`The upload does not exist.`, { nextAction: msg`Upload it again.` })
}

async function compare(context: FakeContext, site: ImportSpec): ReturnType<SiteImports['compare']> {
  const record = existingSite(context, site)
  const { adminUser, wordpress, title } = record
  const { manifest } = await readArchive(context, site.archive)
  return {
    report: {
      source: 'easydash',
      file: site.fileName,
      from: manifest.url,
      at: context.now(),
      counts: [{ what: 'files', expected: manifest.files.length, found: manifest.files.length }],
      defects: site.domain.startsWith('defect') ? [{ kind: 'media', what: '2024/05/gone.jpg', detail: '' }] : [],
      more: 0,
    },
    pages: [{ ...fakeHomepage(context, record), isWhole: true, isLate: false }],
    title: wordpress?.title ?? title,
    admin: { login: adminUser, email: `${adminUser}@example.com` },
  }
}

async function readArchive(context: FakeContext, archive: string): Promise<FakeArchive> {
  const path = pathOf(context, archive)
  if (existsSync(path)) return readFakeArchive(path)
  throw new EngineError('not_found', msg`The uploaded archive is no longer there.`, {
    nextAction: msg`Delete the new site, and import the archive again.`,
  })
}
