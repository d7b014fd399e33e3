import { createReadStream, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync } from 'node:zlib'
import { packTar } from '#server/platform/files/tar.ts'
import { restoresDatabase, type BackupWhat } from '#shared/rules/backups.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep } from '../engine.ts'
import {
  keptLater,
  type RehearsalVerdict,
  type SiteBackups,
  type SiteRehearsals,
  type SiteRestores,
} from '../site-backups.ts'
import { exportNames, type SiteManifest } from '../site-manifest.ts'
import type { SiteRef } from '../site-ref.ts'
import { damageOf, fakeCounts, fakeHomepage, fakeMembers, readFakeArchive } from './fake-archives.ts'
import { contentOf, writeContent } from './fake-content.ts'
import type { FakeContext } from './fake-context.ts'
import { assertNewRef, assertRef, type FakeKept, type FakeSite } from './fake-site.ts'
import { claimDomain, fakeStep } from './fake-steps.ts'
import { existingSite, writeSite } from './fake-store.ts'

/** A site with this file has a plugin that needs more than there is here: nothing can be said about its rehearsals. */
const needingMore = 'wp-content/plugins/needs-mysql/needs-mysql.php'

/** Backups of fake sites: their state as JSON in place of a dump. */
export function createFakeBackups(context: FakeContext): SiteBackups & SiteRehearsals & SiteRestores {
  return {
    unpackable: {},
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
    restoreSteps: (site, { rehearsal }, what) => restoreSteps(context, site, rehearsal, what),
    bringBackSteps: (site) => bringBackSteps(context, site),
    finishRestore: async (site) => finish(context, site),
    keptBytes: async (site) => {
      const { restore, restored } = existingSite(context, site)
      const kept = restore?.before ?? restored?.kept
      return kept === undefined ? null : JSON.stringify(kept).length
    },
    forgetKept: async (ref, before) => {
      const { restored, ...site } = existingSite(context, ref)
      if (site.restore !== undefined) throw notReady()
      if (restored !== undefined && restored.at >= before) throw keptLater()
      writeSite(context, site)
    },
    undoRestore: async (site, operationId) => undo(context, site, operationId),
  }
}

const folderOf = ({ options }: FakeContext): string => join(options.folder, 'backups')
const pathOf = (context: FakeContext, id: string): string => join(folderOf(context), `${id}.tar.zst`)

/** Removes the packed archive of a site. */
export function removeFakePacked(context: FakeContext, id: string): void {
  rmSync(pathOf(context, id), { force: true })
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
        const { title = '', adminUser = 'admin', management, wordpress } = state
        const site: FakeSite = {
          ...existingSite(context, rehearsal),
          ...{ title, adminUser, rehearsal: { manifest, defects: damageOf(archive) } },
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

function restoreSteps(context: FakeContext, site: SiteRef, rehearsal: SiteRef, what: BackupWhat): EngineStep[] {
  const step = (key: string, label: string, work: () => void) =>
    withRestore(context, site, 'restore', fakeStep(context, site, key, label, work))
  return [
    step('pause', 'Keep visitors out', () => void existingSite(context, rehearsal)),
    step('replace', 'Put the backup in place', () => {
      const [live, theirs] = [existingSite(context, site), keptOf(context, existingSite(context, rehearsal))]
      const ours = live.restore?.before ?? theirs
      putBack(context, live, {
        ...(restoresDatabase(what) ? theirs : ours),
        files: filesAfter(ours.files, theirs.files, what),
      })
    }),
    step('check', 'Check that the site answers', () => undefined),
  ]
}

function filesAfter(ours: FakeKept['files'], theirs: FakeKept['files'], what: BackupWhat): FakeKept['files'] {
  if (typeof what === 'string') return what === 'database' ? ours : theirs
  const isIn = (at: string) => (path: string) => path === at || path.startsWith(`${at}/`)
  const missing = what.paths.find((at) => !Object.keys(theirs).some(isIn(at)))
  if (missing !== undefined)
    throw new EngineError('invalid', msg`The backup has no file or folder ${missing}.`, {
      nextAction: msg`Choose one that is in it, or restore everything.`,
    })
  const isChosen = (path: string) => what.paths.some((at) => isIn(at)(path))
  return Object.fromEntries([
    ...Object.entries(ours).filter(([path]) => !isChosen(path)),
    ...Object.entries(theirs).filter(([path]) => isChosen(path)),
  ])
}

function bringBackSteps(context: FakeContext, site: SiteRef): EngineStep[] {
  const step = (key: string, label: string, work: () => void) =>
    withRestore(context, site, 'bring_back', fakeStep(context, site, key, label, work))
  return [
    step('pause', 'Keep visitors out', () => undefined),
    step('swap', 'Bring back the state before the restore', () => {
      const live = existingSite(context, site)
      if (live.restored !== undefined) putBack(context, live, live.restored.kept)
    }),
    step('check', 'Check that the site answers', () => undefined),
  ]
}

function keptOf(context: FakeContext, site: FakeSite): FakeKept {
  const { title, management, wordpress } = site
  return {
    ...{ files: contentOf(context, site).files, title },
    ...(management === undefined ? {} : { management }),
    ...(wordpress === undefined ? {} : { wordpress }),
  }
}

function putBack(context: FakeContext, site: FakeSite, { files, ...state }: FakeKept): void {
  const { management: _m, wordpress: _w, ...known } = site
  const changed = { ...known, ...state }
  writeSite(context, changed)
  writeContent(context, changed, { files, rows: contentOf(context, changed).rows })
}

function withRestore(
  context: FakeContext,
  site: SiteRef,
  kind: 'restore' | 'bring_back',
  { run, ...step }: EngineStep,
): EngineStep {
  return {
    ...step,
    run: async (own) => {
      const known = existingSite(context, site)
      if (known.restore === undefined) {
        if (known.state !== 'running' || known.push !== undefined) throw notReady()
        if (kind === 'bring_back' && known.restored === undefined)
          throw new EngineError('conflict', msg`The state before the last restore is not kept any more.`, {
            nextAction: msg`Restore another backup.`,
          })
        writeSite(context, {
          ...known,
          restore: { operation: own.operationId, kind, before: keptOf(context, known) },
        })
      } else if (known.restore.operation !== own.operationId) throw notReady()
      await run(own)
    },
  }
}

const notReady = () =>
  new EngineError('conflict', msg`A backup can only be restored to a site that is ready.`, {
    nextAction: msg`Wait until the site is ready, or retry the job that did not end.`,
  })

function finish(context: FakeContext, ref: SiteRef): void {
  const { restore, restored: _restored, ...site } = existingSite(context, ref)
  if (restore === undefined) return
  const kept = restore.kind === 'restore' ? { restored: { at: context.now(), kept: restore.before } } : {}
  writeSite(context, { ...site, ...kept, settled: restore.operation })
}

function undo(context: FakeContext, ref: SiteRef, operation: string): 'undone' | 'finished' {
  const { restore, settled } = existingSite(context, ref)
  if (restore === undefined) return settled === operation ? 'finished' : 'undone'
  if (restore.operation !== operation) return 'undone'
  putBack(context, existingSite(context, ref), restore.before)
  const { restore: _undone, ...site } = existingSite(context, ref)
  writeSite(context, site)
  return 'undone'
}
