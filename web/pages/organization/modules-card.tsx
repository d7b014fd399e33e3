import { useState } from 'react'
import type { Organization } from '#shared/doctypes/organization.ts'
import { modules, type Module } from '#shared/rules/modules.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { refetch } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Switch } from '#web/ui/form/switch.tsx'
import { t } from './messages.ts'

/** Modules that the organization uses; the menu updates immediately. */
export function ModulesCard({ organization }: { organization: Organization }) {
  const { organization: current, platformAdmin, refresh } = useSession()
  const [wanted, setWanted] = useState<Partial<Record<Module, boolean>>>({})
  const maySwitch = current?.owner === true || platformAdmin
  const isOn = (name: Module) => wanted[name] ?? organization[`module_${name}`] === 1

  async function switchTo(name: Module, on: boolean): Promise<void> {
    setWanted((before) => ({ ...before, [name]: on }))
    try {
      await runAction('Organization', organization.name, 'set_modules', { [name]: on ? 1 : 0 })
      await refetch(docKey('Organization', organization.name))
      await refresh()
    } catch (error) {
      showToast({ title: t('modules.failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
    } finally {
      // Saved or failed by now: show the document's value.
      setWanted(({ [name]: _done, ...others }) => others)
    }
  }

  return (
    <Card>
      <CardHead title={t('modules.title')} />
      <CardBody className="grid gap-3">
        {modules.map((name) => (
          <div key={name} className="flex items-center gap-3">
            <span className="min-w-0 flex-1 text-table">
              <span className="block font-medium">{t(`modules.${name}`)}</span>
              <span className="text-muted">{t(`modules.${name}_text`)}</span>
            </span>
            {maySwitch ? (
              <Switch
                label={t(`modules.${name}`)}
                hideLabel
                checked={isOn(name)}
                onChange={(on) => void switchTo(name, on)}
              />
            ) : (
              <span className="text-table font-medium">{isOn(name) ? t('modules.on') : t('modules.off')}</span>
            )}
          </div>
        ))}
        {maySwitch ? null : <p className="text-meta text-muted">{t('modules.owner_only')}</p>}
      </CardBody>
    </Card>
  )
}
