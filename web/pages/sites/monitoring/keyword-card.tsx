import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { longestKeyword } from '#shared/rules/site-check.ts'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { runAction } from '#web/lib/api/api.ts'
import { refetch } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { t } from './messages.ts'

/** How the site is checked, and the keyword for those who may change it. */
export function KeywordCard({ site }: { site: Site }) {
  const gate = useActions(SiteDoctype, { ...site, doctype: 'Site' }).find(
    ({ name }) => name === 'set_uptime_keyword',
  )?.gate
  return (
    <Card aria-labelledby="uptime-check">
      <CardHead id="uptime-check" title={t('keyword.title')} />
      <CardBody className="grid gap-3 text-table">
        <p className="text-muted">{t('keyword.hint')}</p>
        {gate ? (
          <KeywordForm key={site.uptime_keyword ?? ''} site={site} reason={gate.enabled ? null : gate.reason} />
        ) : (
          <dl>
            <dt className="text-muted">{t('keyword.label')}</dt>
            <dd className="wrap-anywhere">{site.uptime_keyword ?? t('keyword.no')}</dd>
          </dl>
        )}
      </CardBody>
    </Card>
  )
}

function KeywordForm({ site, reason }: { site: Site; reason: string | null }) {
  const before = site.uptime_keyword ?? ''
  const save = async (keyword: string): Promise<void> => {
    await runAction('Site', site.name, 'set_uptime_keyword', { keyword })
    await refetch(docKey('Site', site.name))
  }
  const form = useApiForm({
    defaultValues: { keyword: before },
    send: async ({ keyword }) => {
      await save(keyword)
      const undo = undoButton({ undo: () => save(before), done: t('keyword.saved') })
      showToast({ title: t('keyword.saved'), variant: 'success', action: undo })
    },
  })
  return (
    <form {...form.props} className="grid gap-3">
      {form.failure ? <Notice tone="bad">{form.failure}</Notice> : null}
      <Field label={t('keyword.label')} hint={t('keyword.note')} error={form.errorOf('keyword')}>
        <Input {...form.register('keyword')} maxLength={longestKeyword} autoComplete="off" />
      </Field>
      <div>
        <Button type="submit" size="md" busy={form.busy} disabled={reason !== null} title={reason ?? undefined}>
          {t('keyword.save')}
        </Button>
      </div>
    </form>
  )
}
