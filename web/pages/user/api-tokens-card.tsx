import { useState } from 'react'
import { ApiTokenType, type ApiToken } from '#shared/doctypes/api-token.ts'
import { counted } from '#web/documents/counted.ts'
import { roleLabel } from '#web/documents/member-roles.ts'
import { toApiError } from '#web/lib/api-error.ts'
import { runAction } from '#web/lib/api.ts'
import { parseTime } from '#web/lib/format-day.ts'
import { fullMessage } from '#web/lib/form-errors.ts'
import { useList } from '#web/lib/frappe.tsx'
import { useSession, type OrganizationRole } from '#web/lib/session.tsx'
import { showToast } from '#web/lib/toasts.ts'
import { useNow } from '#web/lib/use-now.ts'
import { AlertDialog } from '#web/ui/alert-dialog.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { ApiTokenDialog } from './api-token-dialog.tsx'
import { words } from './settings-messages.ts'

type TokenRow = Pick<
  ApiToken,
  'name' | 'title' | 'role' | 'scopes' | 'expires' | 'last_used' | 'last_ip' | 'api_key' | 'creation'
>

/** Keys for programs that work in the person's name in the organization on screen. */
export function ApiTokensCard({ user }: { user: string }) {
  const { organization } = useSession()
  const tokens = useList<TokenRow>(organization ? ApiTokenType.name : null, {
    fields: ['name', 'title', 'role', 'scopes', 'expires', 'last_used', 'last_ip', 'api_key', 'creation'],
    filters: [
      ['user', '=', user],
      ['enabled', '=', 1],
    ],
    order_by: 'creation desc',
    limit: 0,
  })
  const [creating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<TokenRow | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const close = () => {
    setRevoking(null)
    setFailure(null)
  }
  const revoke = async (token: TokenRow) => {
    setFailure(null)
    try {
      await runAction(ApiTokenType.name, token.name, 'revoke')
      close()
      showToast({ title: words('tokens.revoked', { title: token.title }), variant: 'success' })
      await tokens.reload()
    } catch (error) {
      setFailure(fullMessage(toApiError(error)))
    }
  }
  return (
    <Card>
      <CardHead
        title={words('tokens.title')}
        fact={organization ? words('tokens.hint', { organization: organization.title }) : undefined}
      >
        <a className="link" href="/api/docs" target="_blank" rel="noopener">
          {words('tokens.docs')}
        </a>
        {organization ? (
          <Button size="md" onClick={() => setCreating(true)}>
            {words('tokens.create')}
          </Button>
        ) : null}
      </CardHead>
      {!organization ? (
        <CardBody>
          <p className="text-table text-muted">{words('tokens.no_organization')}</p>
        </CardBody>
      ) : tokens.error && !tokens.data ? (
        <CardBody>
          <ErrorPanel
            className="flex items-start gap-3"
            title={words('tokens.error')}
            error={tokens.error}
            onRetry={() => void tokens.reload()}
          />
        </CardBody>
      ) : tokens.data === undefined ? (
        <CardBody>
          <Skeleton className="h-4 w-64" />
        </CardBody>
      ) : tokens.data.length === 0 ? (
        <CardBody>
          <p className="text-table text-muted">{words('tokens.none')}</p>
        </CardBody>
      ) : (
        <ul aria-label={words('tokens.title')} className="divide-y divide-hairline border-t border-hairline">
          {tokens.data.map((token) => (
            <TokenLine key={token.name} token={token} onRevoke={() => setRevoking(token)} />
          ))}
        </ul>
      )}
      {creating ? <ApiTokenDialog onClose={() => setCreating(false)} onMade={() => void tokens.reload()} /> : null}
      {revoking ? (
        <AlertDialog
          open
          onOpenChange={(open) => {
            if (!open) close()
          }}
          title={words('tokens.revoke_title', { title: revoking.title })}
          confirmLabel={words('tokens.revoke_confirm')}
          error={failure}
          onConfirm={() => revoke(revoking)}
        >
          {words('tokens.revoke_text')}
        </AlertDialog>
      ) : null}
    </Card>
  )
}

function TokenLine({ token, onRevoke }: { token: TokenRow; onRevoke: () => void }) {
  const now = useNow(60_000)
  const end = parseTime(token.expires)
  const over = end !== null && end.getTime() <= now
  return (
    <li className="flex min-h-16 items-center gap-3 px-4 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <span className="wrap-anywhere">{token.title}</span>
          {over ? <Tag tone="off">{words('tokens.expired')}</Tag> : null}
        </p>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-table text-muted">
          <span>{words('tokens.role', { role: roleLabel(token.role as OrganizationRole) })}</span>
          <span title={token.scopes?.join(', ')}>{words('tokens.scopes', counted(token.scopes?.length ?? 0))}</span>
          <span className="font-mono text-meta wrap-anywhere" title={words('tokens.key')}>
            {token.api_key}
          </span>
          {end === null ? (
            <span>{words('tokens.never')}</span>
          ) : over ? null : (
            <span>
              {words('tokens.expires')} <Time value={token.expires} />
            </span>
          )}
          {token.last_used ? (
            <span>
              {words('tokens.used')} <Time value={token.last_used} />
              {token.last_ip ? ` ${words('tokens.from', { ip: token.last_ip })}` : ''}
            </span>
          ) : (
            <span>{words('tokens.unused')}</span>
          )}
        </p>
      </div>
      <Button size="md" aria-label={words('tokens.revoke_of', { title: token.title })} onClick={onRevoke}>
        {words('tokens.revoke')}
      </Button>
    </li>
  )
}
