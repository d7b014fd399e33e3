import { useState } from 'react'
import type { Organization } from '#shared/doctypes/organization.ts'
import { possibleOwners } from '#shared/responses/members.ts'
import { TransferOwnershipDialog, type MemberSubject } from '#web/features/members/member-dialogs.tsx'
import { usePeople } from '#web/documents/people.ts'
import { useLoaded } from '#web/lib/api/frappe.tsx'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Avatar } from '#web/ui/images/avatar.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { t } from './messages.ts'

/** The organization's owner, who can transfer it. */
export function OwnerCard({ organization }: { organization: Organization }) {
  const person = usePeople([organization._owner])
  const { organization: current } = useSession()
  const [choosing, setChoosing] = useState(false)
  const [chosen, setChosen] = useState<MemberSubject | null>(null)
  const name = person(organization._owner)
  return (
    <Card>
      <CardHead title={t('owner.title')} />
      <CardBody className="grid gap-3">
        <div className="flex items-center gap-3">
          <Avatar name={name} />
          <span className="min-w-0 flex-1 text-table">
            <span className="block truncate font-medium">{name}</span>
            {name === organization._owner ? null : (
              <span className="block truncate text-muted">{organization._owner}</span>
            )}
          </span>
        </div>
        <p className="text-table text-muted">{t('owner.text')}</p>
        {current?.owner ? (
          <Button className="justify-self-start" onClick={() => setChoosing(true)}>
            {t('owner.transfer')}
          </Button>
        ) : null}
      </CardBody>
      {choosing ? (
        <ChooseOwner
          organization={organization}
          onClose={() => setChoosing(false)}
          onChosen={(member) => {
            setChoosing(false)
            setChosen(member)
          }}
        />
      ) : null}
      {chosen ? <TransferOwnershipDialog member={chosen} onClose={() => setChosen(null)} /> : null}
    </Card>
  )
}

function ChooseOwner({
  organization,
  onClose,
  onChosen,
}: {
  organization: Organization
  onClose: () => void
  onChosen: (member: MemberSubject) => void
}) {
  const list = useLoaded(['possible owners', organization.name], async () =>
    checkedResult(possibleOwners, await runAction('Organization', organization.name, 'candidates_for_change_owner')),
  )
  const [user, setUser] = useState('')
  const candidates = list.data
  const picked = candidates?.find((one) => one.user === (user || candidates[0]?.user))
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('owner.choose', { organization: organization.title })}
      description={t('owner.choose_text')}
      footer={
        <>
          <Button onClick={onClose}>{t('owner.cancel')}</Button>
          {candidates?.length === 0 ? (
            <ButtonLink to="/user" variant="primary">
              {t('owner.invite')}
            </ButtonLink>
          ) : (
            <Button
              variant="primary"
              disabled={!picked}
              onClick={() => {
                if (picked) onChosen({ row: '', user: picked.user, name: picked.full_name ?? picked.user })
              }}
            >
              {t('owner.next')}
            </Button>
          )}
        </>
      }
    >
      {list.error ? (
        <ErrorPanel title={t('organization.error_title')} error={list.error} onRetry={() => list.reload()} />
      ) : !candidates ? (
        <Skeleton className="h-16 w-full" />
      ) : candidates.length === 0 ? (
        <p className="text-table">{t('owner.none')}</p>
      ) : (
        <Field label={t('owner.new')}>
          <Select value={picked?.user} onChange={(event) => setUser(event.target.value)}>
            {candidates.map((one) => (
              <option key={one.user} value={one.user}>
                {one.full_name ? `${one.full_name} (${one.user})` : one.user}
              </option>
            ))}
          </Select>
        </Field>
      )}
    </Dialog>
  )
}
