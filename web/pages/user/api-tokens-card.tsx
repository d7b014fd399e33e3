import { useState } from 'react'
import { ApiTokenDoctype, type ApiToken } from '#shared/doctypes/api-token.ts'
import { tokenScopes, type TokenScope } from '#shared/rules/token-scopes.ts'
import { roleLabel } from '#web/features/members/role-label.ts'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { runAction } from '#web/lib/api/api.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { parseTime } from '#web/lib/i18n/format-day.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { cardParam, type SettingsCard } from '#web/lib/routing/page-tabs.ts'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { ApiTokenDialog } from './api-token-dialog.tsx'
import { tSettings } from './settings-messages.ts'

type TokenRow = Pick<
  ApiToken,
  'name' | 'title' | 'role' | 'scopes' | 'expires' | 'last_used' | 'last_ip' | 'api_key' | 'creation'
>

/** API tokens that act as the user in the current organization. */
export function ApiTokensCard({ user }: { user: string }) {
  const { organization } = useSession()
  const tokens = useList(organization ? 'API Token' : null, {
    fields: ['name', 'title', 'role', 'scopes', 'expires', 'last_used', 'last_ip', 'api_key', 'creation'],
    filters: [
      ['user', '=', user],
      ['enabled', '=', 1],
    ],
    order_by: 'creation desc',
    limit: 0,
  })
  const [params, setParams] = useSearchParams()
  const card: SettingsCard = 'token'
  const creating = params.get(cardParam) === card
  const setCreating = (open: boolean) =>
    setParams(
      (current) => {
        const next = new URLSearchParams(current)
        if (open) next.set(cardParam, card)
        else next.delete(cardParam)
        return next
      },
      { replace: true },
    )
  const [revoking, setRevoking] = useState<TokenRow | null>(null)
  const { failure, attempt, clearFailure } = useAttempt()
  const close = () => {
    setRevoking(null)
    clearFailure()
  }
  const revoke = (token: TokenRow) =>
    attempt(async () => {
      await runAction(ApiTokenDoctype.name, token.name, 'revoke')
      close()
      showToast({ title: tSettings('tokens.revoked', { title: token.title }), variant: 'success' })
      await tokens.reload()
    })
  return (
    <Card>
      <CardHead
        title={tSettings('tokens.title')}
        subtitle={organization ? tSettings('tokens.hint', { organization: organization.title }) : undefined}
      >
        <a className="link" href="/api/docs" target="_blank" rel="noopener">
          {tSettings('tokens.docs')}
        </a>
        {organization ? (
          <Button size="md" onClick={() => setCreating(true)}>
            {tSettings('tokens.create')}
          </Button>
        ) : null}
      </CardHead>
      {!organization ? (
        <CardBody>
          <p className="text-table text-muted">{tSettings('tokens.no_organization')}</p>
        </CardBody>
      ) : tokens.error && !tokens.data ? (
        <CardBody>
          <ErrorPanel
            className="flex items-start gap-3"
            title={tSettings('tokens.error')}
            error={tokens.error}
            onRetry={() => tokens.reload()}
          />
        </CardBody>
      ) : tokens.data === undefined ? (
        <CardBody>
          <Skeleton className="h-4 w-64" />
        </CardBody>
      ) : tokens.data.length === 0 ? (
        <CardBody>
          <p className="text-table text-muted">{tSettings('tokens.none')}</p>
        </CardBody>
      ) : (
        <ul aria-label={tSettings('tokens.title')} className="divide-y divide-hairline border-t border-hairline">
          {tokens.data.map((token) => (
            <TokenLine key={token.name} token={token} onRevoke={() => setRevoking(token)} />
          ))}
        </ul>
      )}
      {creating && organization ? (
        <ApiTokenDialog onClose={() => setCreating(false)} onMade={() => void tokens.reload()} />
      ) : null}
      {revoking ? (
        <AlertDialog
          open
          onOpenChange={(open) => {
            if (!open) close()
          }}
          title={tSettings('tokens.revoke_title', { title: revoking.title })}
          confirmLabel={tSettings('tokens.revoke_confirm')}
          error={failure}
          onConfirm={() => revoke(revoking)}
        >
          {tSettings('tokens.revoke_text')}
        </AlertDialog>
      ) : null}
    </Card>
  )
}

/** Number of scopes; expands to what each allows. */
function ScopeList({ scopes }: { scopes: readonly TokenScope[] }) {
  return (
    <details className="text-table text-muted">
      <summary className="w-fit cursor-pointer rounded-xs py-1 hover:text-fg max-md:py-3">
        {tSettings('tokens.scopes', { count: scopes.length })}
      </summary>
      <ul className="grid gap-1 pt-0.5 pb-1.5">
        {scopes.map((scope) => (
          <li key={scope}>
            <code className="font-mono text-meta text-fg">{scope}</code> {translateText(tokenScopes[scope])}
          </li>
        ))}
      </ul>
    </details>
  )
}

function TokenLine({ token, onRevoke }: { token: TokenRow; onRevoke: () => void }) {
  const now = useNow(60_000)
  const end = parseTime(token.expires)
  const isExpired = end !== null && end.getTime() <= now
  return (
    <li className="flex min-h-16 items-center gap-3 px-4 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <span className="wrap-anywhere">{token.title}</span>
          {isExpired ? <Tag tone="off">{tSettings('tokens.expired')}</Tag> : null}
        </p>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-table text-muted">
          <span>{tSettings('tokens.role', { role: roleLabel(token.role as OrganizationRole) })}</span>
          <span className="font-mono text-meta wrap-anywhere" title={tSettings('tokens.key')} translate="no">
            {token.api_key}
          </span>
          {end === null ? (
            <span>{tSettings('tokens.never')}</span>
          ) : isExpired ? null : (
            <span>
              {tSettings('tokens.expires')} <Time variant="standalone" value={token.expires} />
            </span>
          )}
          {token.last_used ? (
            <span>
              {tSettings('tokens.used')} <Time variant="standalone" value={token.last_used} />
              {token.last_ip ? ` ${tSettings('tokens.from', { ip: token.last_ip })}` : ''}
            </span>
          ) : (
            <span>{tSettings('tokens.unused')}</span>
          )}
        </p>
        <ScopeList scopes={token.scopes ?? []} />
      </div>
      <Button size="md" aria-label={tSettings('tokens.revoke_of', { title: token.title })} onClick={onRevoke}>
        {tSettings('tokens.revoke')}
      </Button>
    </li>
  )
}
