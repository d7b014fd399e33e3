import type { EngineHost } from '#server/engines/hosts.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { sameValue } from '#shared/same-value.ts'
import type { SitesDeps } from '../deps.ts'
import { siteRef } from '../engine-of.ts'
import { bootSettingsOf, settingsFieldsOf } from './settings-values.ts'

/**
 * Makes a live site's document show the settings of its engine: a debug mode that has expired, and a change whose process
 * died before it was written down.
 */
export async function mirrorSettings(deps: SitesDeps, { engine, server }: EngineHost, site: Site): Promise<void> {
  if (site.status !== 'Live' || site.locked_by_job !== null) return
  const settings = await engine.settings?.read(siteRef(site, server))
  if (settings === undefined) return
  const fields = settingsFieldsOf(settings)
  if (!differs(site, fields)) return
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const now = await tx.get(SiteDoctype, site.name, { lock: true })
    if (now?.status === 'Live' && now.locked_by_job === null && now.modified === site.modified)
      await tx.update(SiteDoctype, site.name, fields, { hooks: false, activity: false })
  })
}

function differs(site: Site, { http_auth_password: _secret, ...fields }: Partial<Site>): boolean {
  const { memoryMb, uploadMb } = bootSettingsOf(site)
  const shown: Partial<Site> = { ...site, memory_mb: memoryMb, upload_mb: uploadMb }
  return Object.entries(fields).some(([name, value]) => !sameValue(Reflect.get(shown, name), value))
}
