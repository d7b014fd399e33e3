import { controller, type Controller, type ExternalCall } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { EngineSettingsChange } from '#server/engines/site-settings.ts'
import { parseTimestamp, systemClock } from '#server/jobs/clock.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { maxDebugMs } from '#shared/rules/debug-mode.ts'
import { uploadLimitsOf } from '#shared/rules/php-limits.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { generatePassword } from '#server/platform/secrets/generate-password.ts'
import { changeNow } from './change-now.ts'
import { bootSettingsOf, type BootSettings } from './settings-values.ts'

/** User name of HTTP authentication. */
const httpAuthUser = 'preview'

/** Actions of a Site that change settings of its engine. The store checks state and permissions first. */
export function settingsActions(deps: SitesDeps): Controller {
  const clock = deps.clock ?? systemClock

  /** Enqueues a job that changes settings which a site takes up when it starts. */
  const change = (
    tx: Tx,
    site: Site,
    type: 'site.set_limits' | 'site.start_debug' | 'site.stop_debug',
    wanted: Partial<BootSettings>,
  ) => enqueueFor(deps, tx, site, type, { change: wanted })

  const apply = (
    tx: Tx,
    site: Site,
    needs: 'maintenance' | 'http_auth',
    wanted: EngineSettingsChange,
    shown: { readonly after: Record<string, unknown>; readonly fields?: Partial<Site> },
  ): Promise<ExternalCall> =>
    changeNow(deps, tx, site, {
      needs,
      ...shown,
      // No look at the homepage: our own requests pass both, so neither can make one fail, and a site that fails by chance would keep
      // a password that was to be replaced.
      change: async (engine, ref) => ({ settings: await engine.settings.change(ref, wanted) }),
    })

  const setHttpAuth = (tx: Tx, site: Site, password: string | null): Promise<ExternalCall> => {
    const httpAuth = password === null ? null : { user: httpAuthUser, password }
    const after = { http_auth: password === null ? 0 : 1 }
    const fields = password === null ? {} : { fields: { http_auth_password: password } }
    return apply(tx, site, 'http_auth', { httpAuth }, { after, ...fields })
  }

  return controller(SiteDoctype, {
    actions: {
      async set_limits(site, { memory_mb: memory, upload_mb: upload }, { tx }) {
        const before = bootSettingsOf(site)
        const offered = uploadLimitsOf(site.engine)
        if (upload !== null && Number(upload) !== before.uploadMb && !offered.includes(String(upload)))
          throw new AppError('invalid', msg`Uploads of this site are limited to ${offered.at(-1) ?? ''} MB.`, {
            field: 'upload_mb',
          })
        // What stays is not written again: the server may have more of it than is known here.
        const wanted = {
          ...(memory === null || Number(memory) === before.memoryMb ? {} : { memoryMb: Number(memory) }),
          ...(upload === null || Number(upload) === before.uploadMb ? {} : { uploadMb: Number(upload) }),
        }
        if (Object.keys(wanted).length === 0)
          throw new AppError('invalid', msg`The site has these limits already.`, { field: 'memory_mb' })
        return change(tx, site, 'site.set_limits', wanted)
      },

      async set_debug(site, { enabled, hours, until }, { tx }) {
        if (enabled === 0) return change(tx, site, 'site.stop_debug', { debugUntil: null })
        const now = clock.now()
        return change(tx, site, 'site.start_debug', {
          debugUntil: until === null ? now + (hours ?? 1) * 3_600_000 : endOf(until, now),
        })
      },

      maintenance: (site, args, { tx }) =>
        apply(tx, site, 'maintenance', { maintenance: args.enabled === 1 }, { after: { maintenance: args.enabled } }),

      async set_http_auth(site, args, { tx }) {
        if (args.enabled === 1) {
          if (site.http_auth_user !== null) throw new AppError('invalid', msg`HTTP authentication is on already.`)
          return setHttpAuth(tx, site, generatePassword())
        }
        return setHttpAuth(tx, site, null)
      },

      async regenerate_http_auth(site, _args, { tx }) {
        if (site.http_auth_user === null) throw new AppError('invalid', msg`Turn on HTTP authentication first.`)
        return setHttpAuth(tx, site, generatePassword())
      },

      suspend: (site, _args, { tx }) => enqueueFor(deps, tx, site, 'site.suspend'),

      async resume(site, _args, { tx }) {
        if (site.suspended_at === null)
          throw new AppError(
            'invalid',
            msg`The site was stopped because of its quota. It starts again when it is within it.`,
          )
        return enqueueFor(deps, tx, site, 'site.resume')
      },
    },
  })
}

/** The end of debug mode as given. Throws AppError `invalid` if it is over, or further away than any that can be chosen. */
function endOf(until: string, now: number): number {
  const end = parseTimestamp(until)
  if (end > now && end <= now + maxDebugMs) return end
  throw new AppError('invalid', msg`Debug mode can end within the next 7 days.`, {
    field: 'until',
    nextAction: msg`Choose for how long it stays on.`,
  })
}
