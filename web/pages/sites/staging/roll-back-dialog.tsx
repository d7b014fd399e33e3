import { useId, useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { pushLosses, type PushLosses } from '#shared/responses/push-plan.ts'
import { siteName } from '#shared/rules/display-name.ts'
import { useActionRunner, useActions } from '#web/documents/actions/use-actions.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { t } from './messages.ts'
import { Samples } from './plan-view.tsx'
import { changesOf, kindLabel, sideText } from './push-texts.ts'

/** The button for it; with the reason if that is not possible now. */
export function RollBackButton({ site }: { site: Site }) {
  const reasonId = useId()
  const [isAsking, setAsking] = useState(false)
  const gate = useActions(SiteDoctype, { ...site, doctype: 'Site' }).find(({ name }) => name === 'roll_back_push')?.gate
  if (gate === undefined) return null
  return (
    <span className="inline-grid gap-1">
      <Button
        size="md"
        aria-disabled={gate.enabled ? undefined : true}
        aria-describedby={gate.enabled ? undefined : reasonId}
        onClick={() => setAsking(gate.enabled)}
      >
        {t('back.button')}
      </Button>
      {gate.enabled ? null : (
        <span id={reasonId} className="text-meta text-muted">
          {gate.reason}
        </span>
      )}
      {isAsking ? <RollBackDialog site={site} onClose={() => setAsking(false)} /> : null}
    </span>
  )
}

/** Asks before a push is rolled back, and names what changed on the site since, which is lost. */
function RollBackDialog({ site, onClose }: { site: Site; onClose: () => void }) {
  const { run } = useActionRunner(SiteDoctype)
  const [failure, setFailure] = useState<string | null>(null)
  const { data, error } = useMethod(
    'run_doc_method',
    { dt: 'Site', dn: site.name, method: 'push_losses' },
    { verb: 'POST', returns: pushLosses },
  )
  return (
    <AlertDialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={t('back.title')}
      confirmLabel={t('back.confirm')}
      error={failure}
      onConfirm={async () => {
        setFailure(null)
        try {
          await run(site, 'roll_back_push')
          onClose()
        } catch (problem) {
          setFailure(fullMessage(toApiError(problem)))
        }
      }}
    >
      <p>{t('back.text', { site: siteName(site) })}</p>
      <div className="mt-3" aria-live="polite">
        {data ? (
          <Losses losses={data} />
        ) : error ? (
          <Notice tone="warn">
            {t('back.unknown')} {fullMessage(error)}
          </Notice>
        ) : (
          <p className="text-muted">{t('back.looking')}</p>
        )}
      </div>
    </AlertDialog>
  )
}

function Losses({ losses }: { losses: PushLosses }) {
  const all = [{ kind: 'files' as const, changes: losses.files }, ...losses.kinds]
  const lost = all.filter(({ changes }) => changesOf(changes) > 0)
  if (lost.length === 0) return <p>{t('back.nothing')}</p>
  return (
    <>
      <p className="mb-2 font-medium">{t('back.lost')}</p>
      <ul className="grid gap-2">
        {lost.map(({ kind, changes }) => (
          <li key={kind}>
            {t('back.kind', { kind: kindLabel(kind), changes: sideText(changes) })}
            <Samples side={changes} />
          </li>
        ))}
      </ul>
    </>
  )
}
