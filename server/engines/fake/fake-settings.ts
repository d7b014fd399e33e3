import { msg } from '#shared/localized-message.ts'
import { randomUUID } from 'node:crypto'
import { maxPreviewMs } from '#shared/rules/preview-links.ts'
import { maxDebugMs } from '#shared/rules/debug-mode.ts'
import { defaultPhpLimits, isPhpLimit, memoryLimitsMb, uploadLimitsOf } from '#shared/rules/php-limits.ts'
import { knownProtections } from '#shared/rules/site-protections.ts'
import { wordpressSettingNames, type WordPressValues } from '#shared/rules/wordpress-settings.ts'
import type { WordPressSettings } from '#shared/responses/wordpress-settings.ts'
import { EngineError, type CapabilityName } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type {
  EngineSettings,
  EngineSettingsChange,
  SiteSettings,
  WordPressSettingsOptions,
  WordPressSettingsResult,
} from '../site-settings.ts'
import { assertSupported, type FakeContext } from './fake-context.ts'
import { fakeSiteUrl } from './fake-pages.ts'
import type { FakeSite } from './fake-site.ts'
import { existingSite, writeSite } from './fake-store.ts'

/** Settings in the site's file. A language that is not installed is refused, as by real sites. */
export function createFakeSettings(context: FakeContext): SiteSettings {
  return {
    read: async (site) => settingsOf(context, existingSite(context, site)),
    change: async (site, change, options) => changeSettings(context, site, change, options),
    createPreview: async (site, until) => {
      if (!(until > context.now() && until <= context.now() + maxPreviewMs)) throw notOffered()
      const known = readySite(context, site)
      const settings = saveSettings(context, known, { previewUntil: until })
      return { settings, url: `${fakeSiteUrl(context, site)}/preview?token=${randomUUID()}` }
    },
    endPreview: async (site) => saveSettings(context, readySite(context, site), { previewUntil: null }),
    suspend: async (site) => setSuspended(context, site, true),
    resume: async (site) => setSuspended(context, site, false),
    readWordPress: async (site) => wordpressOf(wordpressSite(context, site)),
    changeWordPress: async (site, changes, options) => changeWordPress(context, site, changes, options),
    async undoWordPress(site, operationId) {
      const { wordpressBefore, ...known } = wordpressSite(context, site)
      if (wordpressBefore?.operationId === operationId)
        writeSite(context, { ...known, wordpress: wordpressBefore.wordpress })
    },
  }
}

function settingsOf({ now }: FakeContext, { settings = {} }: FakeSite): EngineSettings {
  const { memoryMb, uploadMb, debugUntil, maintenance, httpAuth, protections, previewUntil, suspended } = settings
  return {
    memoryMb: memoryMb ?? defaultPhpLimits('fake').memoryMb,
    uploadMb: uploadMb ?? defaultPhpLimits('fake').uploadMb,
    debugUntil: debugUntil != null && debugUntil > now() ? debugUntil : null,
    maintenance: maintenance ?? false,
    httpAuthUser: httpAuth?.user ?? null,
    protections: knownProtections(protections ?? []),
    previewUntil: previewUntil != null && previewUntil > now() ? previewUntil : null,
    suspended: suspended ?? false,
  }
}

/** A site that is neither being made nor archived. */
function readySite(context: FakeContext, site: SiteRef): FakeSite {
  const known = existingSite(context, site)
  if (known.state === 'running' || known.state === 'crashed') return known
  throw new EngineError('conflict', msg`The site is not ready.`, { nextAction: msg`Wait until the site is ready.` })
}

const capabilityOf: Readonly<Record<keyof EngineSettingsChange, CapabilityName>> = {
  memoryMb: 'php_limits',
  uploadMb: 'php_limits',
  debugUntil: 'debug_mode',
  maintenance: 'maintenance',
  protections: 'protections',
  httpAuth: 'http_auth',
}

function changeSettings(
  context: FakeContext,
  site: SiteRef,
  change: EngineSettingsChange,
  { isFormer = false }: { readonly isFormer?: boolean } = {},
): EngineSettings {
  const changed = Object.keys(change) as (keyof EngineSettingsChange)[]
  assertSupported(context, site.server, ...changed.map((name) => capabilityOf[name]))
  const known = readySite(context, site)
  const { memoryMb, uploadMb, debugUntil } = change
  if (
    (memoryMb !== undefined && !isFormer && !isPhpLimit(memoryLimitsMb, memoryMb)) ||
    (uploadMb !== undefined && !isFormer && !isPhpLimit(uploadLimitsOf('fake'), uploadMb)) ||
    (debugUntil != null && debugUntil > context.now() + maxDebugMs)
  )
    throw notOffered()
  return saveSettings(context, known, change)
}

function saveSettings(context: FakeContext, site: FakeSite, change: FakeSite['settings']): EngineSettings {
  const changed = { ...site, settings: { ...site.settings, ...change } }
  writeSite(context, changed)
  return settingsOf(context, changed)
}

function notOffered(): EngineError {
  return new EngineError('invalid', msg`This value is not offered here.`, { nextAction: msg`Choose another one.` })
}

function setSuspended(context: FakeContext, site: SiteRef, suspended: boolean): void {
  const known = suspended ? readySite(context, site) : existingSite(context, site)
  writeSite(context, { ...known, settings: { ...known.settings, suspended } })
}

function wordpressSite(context: FakeContext, site: SiteRef): FakeSite {
  const known = readySite(context, site)
  if (known.siteType === 'wp') return known
  throw new EngineError('conflict', msg`Only a WordPress site has these settings.`, {
    nextAction: msg`Choose a WordPress site.`,
  })
}

const ownLanguages = ['en_US', 'de_DE']

function wordpressOf({ title, wordpress, languages = [] }: FakeSite): WordPressSettings {
  return {
    values: {
      title,
      tagline: '',
      timezone: 'UTC',
      language: 'en_US',
      search_engines: 1,
      permalinks: '/%postname%/',
      admin_email: 'admin@example.com',
      start_page: '',
      ...wordpress,
    },
    timezones: ['Europe/Berlin', 'UTC'],
    languages: [...ownLanguages, ...languages],
    pages: [{ id: '2', title: 'Sample Page' }],
  }
}

function changeWordPress(
  context: FakeContext,
  site: SiteRef,
  changes: Partial<WordPressValues>,
  { expected, operationId }: WordPressSettingsOptions,
): WordPressSettingsResult {
  const known = wordpressSite(context, site)
  const { values } = wordpressOf(known)
  const named = wordpressSettingNames.filter((name) => name in changes)
  const conflicts = named.filter((name) => values[name] !== expected[name])
  if (conflicts.length > 0) return { settings: wordpressOf(known), conflicts, refused: [] }
  const { language = 'en_US', ...others } = changes
  const isInstalled = wordpressOf(known).languages.includes(language)
  const kept = 'language' in changes && isInstalled ? { ...others, language } : others
  const wordpress = known.wordpress ?? {}
  const changed = {
    ...known,
    wordpress: { ...wordpress, ...kept },
    ...(operationId === undefined ? {} : { wordpressBefore: { operationId, wordpress } }),
  }
  writeSite(context, changed)
  return { settings: wordpressOf(changed), conflicts: [], refused: isInstalled ? [] : ['language'] }
}
