import { cpSync } from 'node:fs'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { CloneSpec, SiteCopies } from '../site-copies.ts'
import type { SiteRef } from '../site-ref.ts'
import { contentOf } from './fake-content.ts'
import { assertSupported, type FakeContext } from './fake-context.ts'
import { fakeWww } from './fake-files.ts'
import { assertRef } from './fake-site.ts'
import { claimDomain, fakeStep } from './fake-steps.ts'
import { existingSite, readSite, writeSite } from './fake-store.ts'

/** Copies of the file of a site. */
export function createFakeCopies(context: FakeContext): SiteCopies {
  return {
    refusal: () => null,
    cloneSteps: (source, target) => {
      assertRef(source)
      assertRef(target)
      assertSupported(context, source.server, target.staging === undefined ? 'clone' : 'staging')
      return [
        fakeStep(context, target, 'copy_files', 'Copy files and database', () => copySite(context, source, target)),
        ...(target.siteType === 'wp'
          ? [
              fakeStep(
                context,
                target,
                'replace_urls',
                'Replace the address',
                () => void existingSite(context, target),
              ),
              fakeStep(context, target, 'settle', 'Give it keys and users of its own', () => settle(context, target)),
            ]
          : []),
        fakeStep(context, target, 'check', 'Check that the site answers', () => {
          writeSite(context, { ...existingSite(context, target), state: 'running' })
        }),
      ]
    },
  }
}

function copySite(context: FakeContext, source: SiteRef, target: CloneSpec): void {
  if (readSite(context, target.id) !== null) return
  const { title, adminUser, aliases: _a, stagingOf: _s, pushed: _p, ...original } = existingSite(context, source)
  if (original.state !== 'running') {
    throw new EngineError('conflict', msg`Only a site that is ready can be cloned.`, {
      nextAction: msg`Wait until the site is ready.`,
    })
  }
  const claimed = claimDomain(context, {
    ...target,
    title,
    adminUser,
    adminEmail: '',
    adminPassword: '',
    database: original.database ?? 'sqlite',
  })
  const { memoryMb, uploadMb, httpAuth, httpAuthUser } = original.settings ?? {}
  const settings = Object.fromEntries(
    Object.entries({ memoryMb, uploadMb, httpAuth, httpAuthUser }).filter(([, value]) => value !== undefined),
  )
  cpSync(fakeWww(context, original), fakeWww(context, claimed), { recursive: true })
  const { staging } = target
  if (staging === undefined) return writeSite(context, { ...original, ...claimed, settings })
  writeSite(context, {
    ...original,
    ...claimed,
    settings: { ...settings, httpAuth: staging.httpAuth },
    wordpress: { ...original.wordpress, search_engines: 0 },
    stagingOf: {
      id: source.id,
      domain: source.domain,
      own: target.domain,
      content: contentOf(context, existingSite(context, source)),
    },
  })
}

function settle(context: FakeContext, target: CloneSpec): void {
  const known = existingSite(context, target)
  const title = target.title ?? known.wordpress?.title ?? known.title
  writeSite(context, { ...known, users: [], title, wordpress: { ...known.wordpress, title } })
}
