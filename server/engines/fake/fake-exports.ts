import { createReadStream, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeZip, type ZipContent } from '#server/platform/files/zip-writer.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { SiteExports } from '../site-exports.ts'
import type { SiteRef } from '../site-ref.ts'
import { fakeMembers } from './fake-archives.ts'
import type { FakeContext } from './fake-context.ts'
import { assertRef, type FakeSite } from './fake-site.ts'
import { fakeStep } from './fake-steps.ts'
import { existingSite } from './fake-store.ts'

/** Exports of fake sites: archives with a manifest, and their state in place of a dump. */
export function createFakeExports(context: FakeContext): SiteExports {
  return {
    exportSteps: (site) => {
      assertRef(site)
      const step = fakeStep(context, site, 'export', 'Pack the site', () => void readySite(context, site))
      return [
        {
          ...step,
          run: async (own) => {
            removeFakeExport(context, site.id)
            await step.run(own)
            own.signal.throwIfAborted()
            const chunks: Buffer[] = []
            for await (const chunk of writeZip(contentsOf(context, readySite(context, site)))) chunks.push(chunk)
            mkdirSync(folderOf(context), { recursive: true })
            writeFileSync(pathOf(context, site.id), Buffer.concat(chunks))
          },
        },
      ]
    },
    open: async (site) => {
      existingSite(context, site)
      const path = pathOf(context, site.id)
      if (!existsSync(path))
        throw new EngineError('not_found', msg`The export is no longer there.`, { nextAction: msg`Export it again.` })
      return {
        size: statSync(path).size,
        tag: String(statSync(path).mtimeMs),
        open: (range) => createReadStream(path, range ?? {}),
        close: async () => undefined,
      }
    },
    remove: async (site) => {
      assertRef(site)
      removeFakeExport(context, site.id)
    },
  }
}

/** Removes the export of a site. */
export function removeFakeExport(context: FakeContext, id: string): void {
  rmSync(pathOf(context, id), { force: true })
}

const folderOf = ({ options }: FakeContext): string => join(options.folder, 'exports')
const pathOf = (context: FakeContext, id: string): string => join(folderOf(context), `${id}.zip`)

function readySite(context: FakeContext, site: SiteRef): FakeSite {
  const known = existingSite(context, site)
  if (known.state === 'running') return known
  throw new EngineError('conflict', msg`Only a site that is ready can be exported.`, {
    nextAction: msg`Wait until the site is ready.`,
  })
}

function* contentsOf(context: FakeContext, site: FakeSite): Generator<ZipContent, void, undefined> {
  for (const [name, content] of fakeMembers(context, site))
    yield {
      name: Buffer.from(name),
      mode: 0o100644,
      modified: new Date(context.now()),
      content: [Buffer.from(content, 'latin1')],
    }
}
