import { useState } from 'react'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { check, text } from '#shared/fields.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { FormField } from '#web/documents/form/form-field.tsx'
import type { FormDescription } from '#web/documents/form/form-state.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { t } from './messages.ts'
import { OperationDialog } from './operation-dialog.tsx'

const linesOf = (value: unknown): string[] =>
  String(value ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const form: FormDescription = {
  fields: {
    enabled: check({ label: t('firewall.enabled') }),
    allow: text({ label: t('firewall.allowed') }),
    block: text({ label: t('firewall.blocked') }),
  },
  names: ['enabled', 'allow', 'block'],
}

/** What a server lets in, as it was last read there. */
export function FirewallCard({ server }: { server: Server }) {
  const [editing, setEditing] = useState(false)
  const { firewall } = server
  const lists = firewall && [
    { label: t('firewall.allowed'), addresses: firewall.allow },
    { label: t('firewall.blocked'), addresses: firewall.block },
  ]
  return (
    <Card aria-label={t('firewall.title')}>
      <CardHead
        title={t('firewall.title')}
        subtitle={firewall ? t(firewall.enabled ? 'firewall.on' : 'firewall.off') : undefined}
      />
      <CardBody className="grid gap-3 text-table">
        {lists ? (
          <dl className="grid gap-3">
            {lists.map(({ label, addresses }) => (
              <div key={label} className="grid gap-0.5">
                <dt className="font-medium">{label}</dt>
                <dd className="font-mono text-meta wrap-anywhere" translate="no">
                  {addresses.length > 0 ? addresses.join(', ') : null}
                </dd>
                {addresses.length > 0 ? null : <dd className="text-muted">{t('firewall.none')}</dd>}
              </div>
            ))}
            <div className="grid gap-0.5">
              <dt className="font-medium">{t('firewall.banned')}</dt>
              <dd>
                <BannedAddresses server={server} addresses={firewall.banned} />
              </dd>
              <dd className="text-meta text-muted">{t('firewall.banned_hint')}</dd>
            </div>
          </dl>
        ) : (
          <p className="text-muted">{t('firewall.unknown')}</p>
        )}
        {/* What nobody has read would be lost by a change. */}
        {firewall ? (
          <span>
            <ActionButton
              type={ServerDoctype}
              doc={{ ...server, doctype: 'Server' }}
              name="firewall"
              label={t('firewall.change')}
              size="md"
              onStart={() => setEditing(true)}
            />
          </span>
        ) : null}
      </CardBody>
      {editing && firewall ? (
        <OperationDialog
          server={server}
          name="firewall"
          form={form}
          submit={t('firewall.save')}
          initial={{
            enabled: firewall.enabled ? 1 : 0,
            allow: firewall.allow.join('\n'),
            block: firewall.block.join('\n'),
          }}
          toArgs={({ enabled, allow, block }) => ({ enabled, allow: linesOf(allow), block: linesOf(block) })}
          onClose={() => setEditing(false)}
        >
          {(control) => (
            <>
              <FormField control={control} name="enabled" hint={t('firewall.enabled_hint')} />
              <FormField control={control} name="allow" hint={t('firewall.allowed_hint')} />
              <FormField control={control} name="block" hint={t('firewall.blocked_hint')} />
            </>
          )}
        </OperationDialog>
      ) : null}
    </Card>
  )
}

/** Addresses that fail2ban keeps off the SSH server; admins can let them in again. */
function BannedAddresses({ server, addresses }: { server: Server; addresses: readonly string[] }) {
  if (addresses.length === 0) return <span className="text-muted">{t('firewall.none')}</span>
  return (
    <ul aria-label={t('firewall.banned')} className="grid max-h-72 gap-1 overflow-y-auto">
      {addresses.map((address) => (
        <li key={address} className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-mono text-meta wrap-anywhere" translate="no">
            {address}
          </span>
          <ActionButton
            type={ServerDoctype}
            doc={{ ...server, doctype: 'Server' }}
            name="unban"
            args={{ address }}
            asks={false}
            label={t('firewall.unban', { address })}
            size="sm"
          />
        </li>
      ))}
    </ul>
  )
}
