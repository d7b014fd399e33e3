import { msg } from '#shared/localized-message.ts'
import { maxDebugMs } from '#shared/rules/debug-mode.ts'
import { maxPreviewMs } from '#shared/rules/preview-links.ts'
import { knownProtections } from '#shared/rules/site-protections.ts'
import { sameValue } from '#shared/same-value.ts'
import { isPhpLimit, memoryLimitsMb, uploadLimitsOf } from '#shared/rules/php-limits.ts'
import { EngineError } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { EngineSettings, EngineSettingsChange, SiteSettings } from '../../site-settings.ts'
import { assertHasOptions, changeOptions, readOptions, undoOptions } from '../../wordpress-options.ts'
import { localSiteUrl } from '../local-base.ts'
import type { LocalContext } from '../local-context.ts'
import { siteIsArchived, type SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import { scriptsOf } from '../wordpress/run-script.ts'
import { storeHttpAuth } from './http-auth.ts'
import { newPreview } from './preview-pass.ts'
import { engineSettings, type RecordSettings } from './record-settings.ts'

type SettingsContext = Pick<LocalContext, 'store' | 'awake' | 'now' | 'options'>

/** Settings of local sites: in the site's record, and in WordPress through its own process. */
export function createLocalSettings(context: SettingsContext): SiteSettings {
  const { store, now } = context
  return {
    read: async (site) => engineSettings(existingRecord(store, site), now()),
    change: (site, change) => changeSettings(context, site, change),
    createPreview: async (site, until) => {
      const before = readyRecord(store, site)
      const { stored, url } = newPreview(localSiteUrl(context.options, before), until)
      if (!(until > now() && until <= now() + maxPreviewMs)) throw notOffered()
      const record = await store.change(before.id, (one) => ({
        ...one,
        settings: { ...one.settings, preview: stored },
      }))
      return { url, settings: engineSettings(record ?? before, now()) }
    },
    endPreview: async (site) => {
      const before = readyRecord(store, site)
      const record = await store.change(before.id, (one) => withSettings(one, withoutPreview(one.settings)))
      return engineSettings(record ?? before, now())
    },
    suspend: (site) => suspend(context, site),
    resume: async (site) => {
      await store.change(existingRecord(store, site).id, ({ stopped: _stopped, ...record }) => record)
    },
    readWordPress: async (site) => readOptions(optionsOf(context, site)),
    changeWordPress: async (site, changes, options) => changeOptions(optionsOf(context, site), changes, options),
    undoWordPress: async (site, operationId) => undoOptions(optionsOf(context, site), operationId),
  }
}

/** The record of a site that is neither being made nor archived. */
function readyRecord(store: SettingsContext['store'], site: SiteRef): SiteRecord {
  const record = existingRecord(store, site)
  if (record.state === 'archived' || record.state === 'archiving') throw siteIsArchived()
  if (record.state === 'ready') return record
  throw new EngineError('conflict', msg`The site is not ready.`, { nextAction: msg`Wait until the site is ready.` })
}

/** Runs scripts in a WordPress site. */
function optionsOf(context: SettingsContext, site: SiteRef) {
  const record = readyRecord(context.store, site)
  assertHasOptions(record.siteType)
  return scriptsOf(context, record)
}

async function changeSettings(
  { store, awake, now }: SettingsContext,
  site: SiteRef,
  change: EngineSettingsChange,
): Promise<EngineSettings> {
  const before = readyRecord(store, site)
  assertValid(change, now())
  const saved = await store.change(before.id, (record) => ({ ...record, settings: applied(record.settings, change) }))
  const changed = saved ?? before
  if (changed.siteType !== 'html' && changed.stopped !== true && needsRestart(before, changed)) {
    // Saved before the stop: a visitor who wakes the site in between must get the new settings, too.
    await awake.sleep(before.id)
    try {
      await awake.wake(before.id)
    } catch (error) {
      await store.change(before.id, (record) => withSettings(record, before.settings))
      await awake.sleep(before.id)
      throw error
    }
  }
  return engineSettings(changed, now())
}

function withoutPreview({ preview: _preview, ...settings }: RecordSettings = {}): RecordSettings {
  return settings
}

function withSettings(
  { settings: _settings, ...record }: SiteRecord,
  settings: RecordSettings | undefined,
): SiteRecord {
  return settings === undefined ? record : { ...record, settings }
}

function needsRestart({ settings: before = {} }: SiteRecord, { settings: after = {} }: SiteRecord): boolean {
  return (['memoryMb', 'uploadMb', 'debugUntil', 'protections'] as const).some(
    (name) => !sameValue(before[name], after[name]),
  )
}

function applied(before: RecordSettings = {}, change: EngineSettingsChange): RecordSettings {
  const { memoryMb = before.memoryMb, uploadMb = before.uploadMb } = change
  const { debugUntil = before.debugUntil ?? null, maintenance = before.maintenance ?? false } = change
  const protections = knownProtections(change.protections ?? before.protections ?? [])
  const httpAuth =
    change.httpAuth === undefined
      ? before.httpAuth
      : change.httpAuth === null
        ? undefined
        : storeHttpAuth(change.httpAuth)
  return {
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(uploadMb === undefined ? {} : { uploadMb }),
    ...(debugUntil === null ? {} : { debugUntil }),
    ...(maintenance ? { maintenance } : {}),
    ...(httpAuth === undefined ? {} : { httpAuth }),
    ...(protections.length === 0 ? {} : { protections }),
    ...(before.preview === undefined ? {} : { preview: before.preview }),
  }
}

function assertValid({ memoryMb, uploadMb, debugUntil, httpAuth }: EngineSettingsChange, now: number): void {
  const isValid =
    (memoryMb === undefined || isPhpLimit(memoryLimitsMb, memoryMb)) &&
    (uploadMb === undefined || isPhpLimit(uploadLimitsOf('local'), uploadMb)) &&
    (debugUntil == null || (Number.isSafeInteger(debugUntil) && debugUntil <= now + maxDebugMs)) &&
    (httpAuth == null || (/^[\w-]{1,32}$/.test(httpAuth.user) && httpAuth.password.length >= 12))
  if (!isValid) throw notOffered()
}

function notOffered(): EngineError {
  return new EngineError('invalid', msg`This value is not offered here.`, { nextAction: msg`Choose another one.` })
}

async function suspend({ store, awake }: SettingsContext, site: SiteRef): Promise<void> {
  const { id } = readyRecord(store, site)
  await store.change(id, (record) => ({ ...record, stopped: true }))
  await awake.sleep(id)
}
