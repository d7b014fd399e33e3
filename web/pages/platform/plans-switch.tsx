import { useState } from 'react'
import { PlatformSettingsDoctype, platformSettingsName } from '#shared/doctypes/platform-settings.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { updateDoc } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Switch } from '#web/ui/form/switch.tsx'
import { t } from './messages.ts'
import type { PlatformSettingsAccess } from './platform-settings.ts'

/** Whether organizations have plans with limits. Applies immediately; existing sites and servers are not affected. */
export function PlansSwitch({ settings: { data, reload } }: { settings: PlatformSettingsAccess }) {
  const { organization, refreshSubscription } = useSession()
  const [busy, setBusy] = useState(false)
  if (!data) return null
  const change = async (on: boolean): Promise<void> => {
    setBusy(true)
    try {
      await updateDoc(PlatformSettingsDoctype.name, platformSettingsName, {
        plans_enabled: on ? 1 : 0,
        modified: data.modified,
      })
      showToast({ title: t(on ? 'plans.turned_on' : 'plans.turned_off'), variant: 'success' })
      if (organization) await refreshSubscription()
    } catch (error) {
      showToast({ title: t('act.failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
    } finally {
      await reload()
      setBusy(false)
    }
  }
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-1 rounded-card border border-border bg-surface px-4 py-3">
      <div className="min-w-60 flex-1">
        <p className="font-medium">{t('plans.switch')}</p>
        <p className="text-table text-muted">{t(data.plans_enabled === 1 ? 'plans.switch_on' : 'plans.switch_off')}</p>
      </div>
      <Switch
        label={t('plans.switch')}
        hideLabel
        checked={data.plans_enabled === 1}
        disabled={busy}
        onChange={(on) => void change(on)}
      />
    </div>
  )
}
