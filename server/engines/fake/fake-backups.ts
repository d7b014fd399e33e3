import { createReadStream, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync } from 'node:zlib'
import { packTar } from '#server/platform/files/tar.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep } from '../engine.ts'
import { type RehearsalVerdict, type SiteBackups, type SiteRehearsals, type SiteRestores } from '../site-backups.ts'
import { exportNames, type SiteManifest } from '../site-manifest.ts'
import type { SiteRef } from '../site-ref.ts'
import { damageOf, fakeCounts, fakeHomepage, fakeMembers, readFakeArchive } from './fake-archives.ts'
import { contentOf, writeContent } from './fake-content.ts'
import type { FakeContext } from './fake-context.ts'
import { assertNewRef, assertRef, type FakeSite } from './fake-site.ts'
import { claimDomain, fakeStep } from './fake-steps.ts'
import { createFakeDirect } from './fake-direct.ts'
import { createFakeRestores } from './fake-restores.ts'
import { existingSite, writeSite } from './fake-store.ts'

/** A site with this file has a plugin that needs more than there is here: nothing can be said about its rehearsals. */
const needingMore = 'wp-content/plugins/needs-mysql/needs-mysql.php'

/** Backups of fake sites: their state as JSON in place of a dump. */
export function createFakeBackups(context: FakeContext): SiteBackups & SiteRehearsals & SiteRestores {
  const packing: Pick<SiteBackups, 'packSteps' | 'packed'> = {
    packSteps: (site) => packSteps(context, site),
    packed: async (site) => {
      existingSite(context, site)
      const path = pathOf(context, site.id)
      if (!existsSync(path))
        throw new EngineError('not_found', msg`The packed site is no longer there.`, {
          nextAction: msg`Back it up again.`,
        })
      const { manifest } = await readFakeArchive(path)
      const file = {
        size: statSync(path).size,
        tag: String(statSync(path).mtimeMs),
        open: (range?: { readonly start: number; readonly end: number }) => createReadStream(path, range ?? {}),
        close: async () => undefined,
      }
      const said = { ...manifest, files: manifest.files.length }
      const files = async function* () {
        yield* manifest.files
        return said
      }
      return { file, manifest: said, files }
    },
  }
  return {
    ...packing,
    ...(context.options.sends && { direct: createFakeDirect(packing, (site) => sealedPathOf(context, site.id)) }),
    removePacked: async (site) => {
      assertRef(site)
      removeFakePacked(context, site.id)
    },
    rehearseSteps: (rehearsal, path) => rehearseSteps(context, rehearsal, path),
    judge: async (rehearsal, signal) => {
      signal.throwIfAborted()
      return judge(context, existingSite(context, rehearsal))
    },
    openRehearsal: async (rehearsal, until) => {
      const known = existingSite(context, rehearsal)
      if (known.state !== 'running' || known.rehearsal === undefined) throw noRehearsal()
      writeSite(context, { ...known, openUntil: until })
    },
    ...createFakeRestores(context),
  }
}

const folderOf = ({ options }: FakeContext): string => join(options.folder, 'backups')
const pathOf = (context: FakeContext, id: string): string => join(folderOf(context), `${id}.tar.zst`)

const sealedPathOf = (context: FakeContext, id: string): string => `${pathOf(context, id)}.age`

/** Removes the packed archive of a site. */
export function removeFakePacked(context: FakeContext, id: string): void {
  for (const path of [pathOf(context, id), sealedPathOf(context, id)]) rmSync(path, { force: true })
}

function packSteps(context: FakeContext, site: SiteRef): EngineStep[] {
  assertRef(site)
  const readySite = (): FakeSite => {
    const known = existingSite(context, site)
    if (known.state === 'running') return known
    throw new EngineError('conflict', msg`Only a site that is ready can be backed up.`, {
      nextAction: msg`Wait until the site is ready.`,
    })
  }
  const step = fakeStep(context, site, 'pack', 'Pack the site', () => void readySite())
  return [
    {
      ...step,
      run: async (own) => {
        removeFakePacked(context, site.id)
        await step.run(own)
        own.signal.throwIfAborted()
        const members = fakeMembers(context, readySite()).map(([name, content]) => {
          const bytes = Buffer.from(content, 'latin1')
          const mtime = context.now() / 1000
          return { header: { name, type: 'file' as const, size: bytes.length, mode: 0o644, mtime }, content: [bytes] }
        })
        const archive = zstdCompressSync(await buffer(Readable.from(packTar(members))))
        mkdirSync(folderOf(context), { recursive: true })
        writeFileSync(pathOf(context, site.id), archive)
      },
    },
  ]
}

function rehearseSteps(context: FakeContext, rehearsal: SiteRef, path: string): EngineStep[] {
  assertNewRef(rehearsal)
  const spec = { ...rehearsal, title: '', adminUser: '', adminEmail: '', adminPassword: '' }
  const unpack = fakeStep(context, rehearsal, 'unpack', 'Unpack the backup', () =>
    writeSite(context, claimDomain(context, spec)),
  )
  return [
    {
      ...unpack,
      run: async (own) => {
        const archive = await readFakeArchive(path)
        await unpack.run(own)
        const { manifest, state, texts } = archive
        const { title = '', adminUser = 'admin', users = [], management, wordpress } = state
        const site: FakeSite = {
          ...existingSite(context, rehearsal),
          ...{ title, adminUser, users, rehearsal: { manifest, defects: damageOf(archive) } },
          ...(management === undefined ? {} : { management }),
          ...(wordpress === undefined ? {} : { wordpress }),
        }
        const files = Object.fromEntries(
          manifest.files.map((file) => [file.path, texts.get(`${exportNames.files}/${file.path}`) ?? '']),
        )
        writeSite(context, site)
        writeContent(context, site, { ...contentOf(context, site), files })
      },
    },
    fakeStep(context, rehearsal, 'check', 'Start the rehearsal', () => {
      writeSite(context, { ...existingSite(context, rehearsal), state: 'running' })
    }),
  ]
}

function judge(context: FakeContext, site: FakeSite): RehearsalVerdict {
  const { rehearsal } = site
  if (rehearsal === undefined) throw noRehearsal()
  const { manifest, defects } = rehearsal
  const content = contentOf(context, site)
  if (content.files[needingMore] !== undefined)
    return { defects: [], seen: [], inconclusive: 'The plugin needs-mysql needs MySQL, which this machine lacks.' }
  const counts = fakeCounts(context, site)
  const page = fakeHomepage(context, site)
  const [expected] = manifest.pages
  const isSamePage = page.status === expected?.status && page.title === expected.title
  const names = Object.keys(counts) as (keyof SiteManifest['counts'])[]
  return {
    defects: [
      ...defects,
      ...names
        .filter((name) => counts[name] !== manifest.counts[name])
        .map((name) => ({
          defect: `The number of ${name} is another one`,
          evidence: `${counts[name]} instead of ${manifest.counts[name]}`,
        })),
      ...(isSamePage
        ? []
        : [
            {
              defect: 'The homepage is another one',
              evidence: `${page.status} “${page.title}” instead of ${expected?.status} “${expected?.title}”`,
            },
          ]),
    ],
    seen: [
      { what: 'files', expected: manifest.files.length, found: Object.keys(content.files).length },
      ...names.map((what) => ({ what, expected: manifest.counts[what], found: counts[what] })),
      { what: 'visited', expected: 1, found: isSamePage ? 1 : 0 },
    ],
    inconclusive: null,
  }
}

const noRehearsal = () =>
  new EngineError('conflict', msg`The site is no rehearsal of a backup.`, { nextAction: msg`Rehearse it first.` })
