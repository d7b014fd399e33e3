import { statSync } from 'node:fs'
import { join } from 'node:path'
import { restoresDatabase, type BackupWhat } from '#shared/rules/backups.ts'
import { msg } from '#shared/localized-message.ts'
import { isIn, noSuchPath } from '../backup-parts.ts'
import { EngineError, type EngineStep } from '../engine.ts'
import { keptLater } from '../kept-later.ts'
import type { SiteChanges, SiteRestores } from '../site-backups.ts'
import type { SiteRef } from '../site-ref.ts'
import { fakeCounts } from './fake-archives.ts'
import { contentOf, writeContent } from './fake-content.ts'
import type { FakeContext } from './fake-context.ts'
import { fakeWww } from './fake-files.ts'
import type { FakeKept, FakeSite } from './fake-site.ts'
import { fakeStep } from './fake-steps.ts'
import { newWordPress } from './fake-wordpress-state.ts'
import { existingSite, writeSite } from './fake-store.ts'

/** Restores that change the fields of a site, and keep what they were. */
export function createFakeRestores(context: FakeContext): SiteRestores {
  return {
    restoreSteps: (site, { rehearsal }, what) => restoreSteps(context, site, rehearsal, what),
    bringBackSteps: (site) => bringBackSteps(context, site),
    changesSince: async (site, since) => changesSince(context, existingSite(context, site), since),
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

function changesSince(context: FakeContext, site: FakeSite, since: number): SiteChanges {
  const times = Object.keys(contentOf(context, site).files).map(
    (path) => statSync(join(fakeWww(context, site), path)).mtimeMs,
  )
  const isNew = (time: number) => time >= since
  const { users } = site.management ?? newWordPress(site.adminUser)
  const changed = {
    ...{ posts: 0, orders: 0, comments: 0 },
    users: users.filter(({ registered }) => isNew(registered * 1000)).length,
  }
  return {
    content: site.siteType === 'wp' ? { counts: fakeCounts(context, site), changed } : null,
    files: { count: times.length, changed: times.filter(isNew).length, complete: true },
  }
}

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
  const missing = what.paths.find((path) => !Object.keys(theirs).some((file) => isIn([path], file)))
  if (missing !== undefined) throw noSuchPath(missing)
  const isChosen = (file: string) => isIn(what.paths, file)
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
  ]
}

function keptOf(context: FakeContext, site: FakeSite): FakeKept {
  const { title, users = [], management, wordpress } = site
  return {
    ...{ files: contentOf(context, site).files, title, users },
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
