import { useState } from 'react'
import type { Organization } from '#shared/doctypes/organization.ts'
import { listedMembers } from '#shared/responses/members.ts'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { runAction } from '#web/lib/api/api.ts'
import { refetch } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { cardParam } from '#web/lib/routing/page-tabs.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Switch } from '#web/ui/form/switch.tsx'
import { t } from './messages.ts'

/** Members without two-factor authentication; undefined while loading. */
function useWithout(organization: string): { count: number | undefined; own: boolean } {
  const { user } = useSession()
  const { data } = useMethod(
    'run_doc_method',
    { dt: 'Organization', dn: organization, method: 'list_members' },
    { verb: 'POST', returns: listedMembers },
  )
  const without = data?.filter(({ two_factor: has }) => has === false)
  return { count: without?.length, own: without?.some((member) => member.user === user) ?? false }
}

/** Whether the organization requires two-factor authentication of its members. */
export function TwoFactorCard({ organization }: { organization: Organization }) {
  const { user } = useSession()
  const isOn = organization.require_two_factor === 1
  const without = useWithout(organization.name)
  const { checked, dialog } = usePasswordCheck()
  const { failure, attempt, clearFailure } = useAttempt()
  const [asking, setAsking] = useState(false)
  const close = () => {
    setAsking(false)
    clearFailure()
  }
  return (
    <Card>
      <CardHead title={t('two_factor.title')} />
      <CardBody className="grid gap-2">
        <div className="flex items-center gap-3">
          <span className="min-w-0 flex-1 text-table">
            <span className="block font-medium">{t('two_factor.require')}</span>
            <span className="text-muted">{t('two_factor.text')}</span>
          </span>
          <Switch
            label={t('two_factor.require')}
            hideLabel
            checked={isOn}
            disabled={!isOn && without.own}
            onChange={() => setAsking(true)}
          />
        </div>
        {without.count ? (
          <p className="text-meta text-muted">{t('two_factor.without', { count: without.count })}</p>
        ) : null}
        {!isOn && without.own ? (
          <p className="text-meta text-muted">
            {t('two_factor.own_first')}{' '}
            <Link className="link" to={`/user/${encodeURIComponent(user ?? '')}?${cardParam}=two_factor#settings`}>
              {t('two_factor.set_up')}
            </Link>
          </p>
        ) : null}
      </CardBody>
      {asking ? (
        <AlertDialog
          open
          danger={!isOn}
          onOpenChange={(open) => {
            if (!open) close()
          }}
          title={t(isOn ? 'two_factor.end_title' : 'two_factor.require_title')}
          confirmLabel={t(isOn ? 'two_factor.end_confirm' : 'two_factor.require_confirm')}
          error={failure}
          onConfirm={() =>
            attempt(async () => {
              const required = isOn ? 0 : 1
              const done = await checked(async () => {
                await runAction('Organization', organization.name, 'require_two_factor', { required })
                return true
              })
              if (done === null) return
              await refetch(docKey('Organization', organization.name))
              close()
            })
          }
        >
          {isOn
            ? t('two_factor.end_text')
            : without.count === undefined
              ? t('two_factor.require_text_unknown')
              : t('two_factor.require_text', { count: without.count })}
        </AlertDialog>
      ) : null}
      {dialog}
    </Card>
  )
}
