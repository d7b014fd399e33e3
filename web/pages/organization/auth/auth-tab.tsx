import type { Organization } from '#shared/doctypes/organization.ts'
import { boot } from '#web/lib/session/boot.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { CopyField } from '#web/ui/copy-button.tsx'
import { ConfirmedAction } from './confirmed-action.tsx'
import { LinkedMembers } from './linked-members.tsx'
import { tAuth } from './messages.ts'
import { ProviderForm } from './provider-form.tsx'

/** Logging in through a provider of the organization: its settings, the members' login address, and who is linked. */
export function AuthTab({ organization, isOwner }: { organization: Organization; isOwner: boolean }) {
  const { login_key: key, login_issuer, client_id, login_domains } = organization
  return (
    <div className="grid max-w-3xl gap-4">
      <Card>
        <CardHead title={tAuth('provider.title')} />
        <CardBody className="grid gap-4">
          <p className="text-table text-muted">{tAuth('provider.text')}</p>
          {isOwner ? (
            // Other changes of the organization leave alone what is being typed.
            <ProviderForm key={[login_issuer, client_id, login_domains].join('\n')} organization={organization} />
          ) : (
            <ProviderFacts organization={organization} />
          )}
          {!key ? null : (
            <div>
              <ConfirmedAction
                organization={organization.name}
                action="clear_credentials"
                args={{ credentials: 'auth' }}
                danger
                label={tAuth('provider.remove')}
                title={tAuth('provider.remove_title')}
                text={tAuth('provider.remove_text')}
                confirm={tAuth('provider.remove_confirm')}
                done={tAuth('provider.removed')}
              />
            </div>
          )}
        </CardBody>
      </Card>
      {!key ? null : (
        <>
          <Card>
            <CardHead title={tAuth('address.title')} />
            <CardBody className="grid gap-3">
              <p className="text-table text-muted">{tAuth('address.text')}</p>
              <CopyField value={`${boot().url}/web/sso/${key}`} label={tAuth('address.copy')} />
              {isOwner ? (
                <div>
                  <ConfirmedAction
                    organization={organization.name}
                    action="renew_login_address"
                    label={tAuth('address.renew')}
                    title={tAuth('address.renew_title')}
                    text={tAuth('address.renew_text')}
                    confirm={tAuth('address.renew_confirm')}
                    done={tAuth('address.renewed')}
                  />
                </div>
              ) : null}
            </CardBody>
          </Card>
          <LinkedMembers organization={organization.name} />
        </>
      )}
    </div>
  )
}

/** What admins who are not the owner see of the provider. */
function ProviderFacts({ organization }: { organization: Organization }) {
  const { login_issuer: issuer, client_id: client, login_domains: domains } = organization
  return (
    <>
      {!issuer ? (
        <p className="text-table">{tAuth('provider.off')}</p>
      ) : (
        <dl className="grid gap-x-4 gap-y-1 text-table md:grid-cols-[auto_1fr]" translate="no">
          <dt className="text-muted">{tAuth('provider.issuer')}</dt>
          <dd className="break-all">{issuer}</dd>
          <dt className="text-muted">{tAuth('provider.client_id')}</dt>
          <dd className="break-all">{client}</dd>
          <dt className="text-muted">{tAuth('provider.domains')}</dt>
          <dd>{(domains ?? '').split('\n').join(', ')}</dd>
        </dl>
      )}
      <p className="text-meta text-muted">{tAuth('provider.not_owner')}</p>
    </>
  )
}
