import { useEffect } from 'react'
import { doctype, type AnyDoc } from '#shared/doctype.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { wordpressSettingsFields } from '#shared/doctypes/site-actions/wordpress-settings-fields.ts'
import { wordpressSettings, type WordPressSettings } from '#shared/responses/wordpress-settings.ts'
import { wordpressSettingNames, type WordPressValues } from '#shared/rules/wordpress-settings.ts'
import type { ApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { dataClient } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { useLoaded, type Loaded } from '#web/lib/api/frappe.tsx'

/** The settings as the edit form takes them. There is no such document: they are read from the site. */
export const SettingsDoctype = doctype('WordPress Settings', {
  module: 'core',
  tenant: { kind: 'platform' },
  naming: 'random',
  fields: wordpressSettingsFields,
  permissions: {},
})

/** The settings of a site with the choices for its form. */
export type SettingsDoc = AnyDoc & WordPressValues & Omit<WordPressSettings, 'values'>

/** Under which the settings of a site are cached. */
export const settingsKey = (site: string) => docKey(SettingsDoctype.name, site)

function settingsDoc(site: string, response: unknown): SettingsDoc {
  const { values, ...choices } = checkedResult(wordpressSettings, response)
  return { ...values, ...choices, name: site, doctype: SettingsDoctype.name } as SettingsDoc
}

/** The settings of a site's WordPress as it has them now; with `known`, as they were read last, without asking the site. */
export function useWordPressSettings({ name }: Pick<Site, 'name'>, { known }: { known: boolean }): Loaded<SettingsDoc> {
  const key = settingsKey(name)
  const read = async () => settingsDoc(name, await runAction('Site', name, 'read_wordpress_settings'))
  // No event tells of changes in WordPress, and asking again and again would keep the site awake.
  const loaded = useLoaded(known ? null : key, read, { refreshInterval: Infinity })
  // The job may change them: they are read again when they are needed next.
  useEffect(() => {
    if (known) void dataClient.invalidateQueries({ queryKey: settingsKey(name), exact: true, refetchType: 'none' })
  }, [known, name])
  return known ? { ...loaded, data: knownSettings({ name }) } : loaded
}

/** The settings as they were read last. */
export const knownSettings = ({ name }: Pick<Site, 'name'>): SettingsDoc | undefined =>
  dataClient.getQueryData<SettingsDoc>(settingsKey(name))

/**
 * The changes that the site has although the save failed. If they stayed edits of the form, it would take the value that the site
 * has of them for one that somebody else set.
 */
export function savedNames(
  { code, field }: Pick<ApiError, 'code' | 'field'>,
  {
    changes,
    before,
    now,
  }: { changes: Readonly<Record<string, unknown>>; before: AnyDoc; now: SettingsDoc | undefined },
): string[] {
  if (now === undefined) return []
  const values: Readonly<Record<string, unknown>> = now
  // The site refused this field and saved the others, maybe not quite as they were sent.
  const isPartly = code === 'unavailable' && field !== null
  return Object.keys(changes).filter(
    (name) => values[name] === changes[name] || (isPartly && values[name] !== before[name]),
  )
}

/** Saves settings over the given ones. Throws `ApiError` with the field if one is different by now. */
export async function saveWordPressSettings(
  { name }: Pick<Site, 'name'>,
  changes: Readonly<Record<string, string | number>>,
  before: Readonly<Record<string, unknown>>,
): Promise<SettingsDoc> {
  return settingsDoc(
    name,
    await runAction('Site', name, 'save_wordpress_settings', { changes, expected: pick(before, changes) }),
  )
}

/** Adds a translation of WordPress. The language of the site stays; the settings then have one choice more. */
export async function installLanguage({ name }: Pick<Site, 'name'>, language: string): Promise<SettingsDoc> {
  return settingsDoc(name, await runAction('Site', name, 'install_language', { language }))
}

/** The values of those settings that `like` has. */
export function pick(
  values: Readonly<Record<string, unknown>>,
  like: Readonly<Record<string, unknown>>,
): Record<string, string | number> {
  const picked: Record<string, string | number> = {}
  for (const name of wordpressSettingNames) {
    const value = values[name]
    if (name in like && (typeof value === 'string' || typeof value === 'number')) picked[name] = value
  }
  return picked
}
