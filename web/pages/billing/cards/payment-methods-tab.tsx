import { CreditCard, Plus } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import type { PaymentProvider } from '#shared/responses/billing.ts'
import { cardExpiry } from '#shared/rules/card-expiry.ts'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { refetchAll } from '#web/lib/api/data-client.ts'
import { listKey } from '#web/lib/api/data-keys.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { Button } from '#web/ui/button.tsx'
import { Card as Box, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { AddCardDialog } from './add-card-dialog.tsx'
import { tCard } from './messages.ts'
import { providerLabel } from './provider-label.ts'
import { loadBillingDocument, mayLoadPaymentScript } from './provider-script.ts'
import { cardName, usePaymentMethods, type Card } from './use-payment-methods.ts'

/** The organization's cards: which is charged, which expires, and adding another. */
export function PaymentMethodsTab({
  provider,
  onChanged,
}: {
  provider: PaymentProvider
  onChanged: () => Promise<void>
}) {
  const [params, setParams] = useSearchParams()
  const cards = usePaymentMethods(true)
  const [removing, setRemoving] = useState<Card | null>(null)
  const [isOpen, setOpen] = useState(false)
  // The document that was loaded for the dialog, by `loadBillingDocument`.
  const isAsked = params.get('add') === '1'
  const close = () => {
    setOpen(false)
    if (isAsked)
      setParams(
        (before) => {
          const next = new URLSearchParams(before)
          next.delete('add')
          return next
        },
        { replace: true },
      )
  }
  const add = (
    <Button
      variant="primary"
      size="md"
      onClick={() => (mayLoadPaymentScript() ? setOpen(true) : loadBillingDocument('add'))}
    >
      <Plus size={16} strokeWidth={1.75} aria-hidden="true" />
      {tCard('list.add')}
    </Button>
  )
  const reload = async () => {
    await Promise.all([refetchAll(listKey('Payment Method')), onChanged()])
  }
  return (
    <>
      {cards.error && !cards.data ? (
        <ErrorPanel title={tCard('list.error_title')} error={cards.error} onRetry={() => cards.reload()} />
      ) : cards.data === undefined ? (
        <Skeleton className="h-32 w-full max-w-3xl rounded-card" />
      ) : cards.data.length === 0 ? (
        <Box className="max-w-3xl">
          <EmptyState icon={<CreditCard size={20} strokeWidth={1.75} />} title={tCard('list.empty_title')} action={add}>
            {tCard('list.empty')}
          </EmptyState>
        </Box>
      ) : (
        <Box className="max-w-3xl" aria-labelledby="payment-methods">
          <CardHead id="payment-methods" title={tCard('list.title')} lined>
            {add}
          </CardHead>
          <ul aria-labelledby="payment-methods" className="divide-y divide-hairline">
            {cards.data.map((card) => (
              <CardRow key={card.name} card={card} onRemove={() => setRemoving(card)} onChanged={reload} />
            ))}
          </ul>
          <p className="border-t border-hairline px-4 py-2.5 text-meta text-muted">
            {tCard('list.text', { provider: providerLabel(provider) })}
          </p>
        </Box>
      )}
      {isOpen || isAsked ? (
        <AddCardDialog
          provider={provider}
          onClose={close}
          onAdded={async () => {
            await reload()
            showToast({ title: tCard('add.done_title'), variant: 'success' })
          }}
        />
      ) : null}
      {removing === null ? null : (
        <RemoveDialog card={removing} provider={provider} onClose={() => setRemoving(null)} onRemoved={reload} />
      )}
    </>
  )
}

/** A card with its expiry, and what can be done with it. */
function CardRow({ card, onRemove, onChanged }: { card: Card; onRemove: () => void; onChanged: () => Promise<void> }) {
  const [busy, setBusy] = useState(false)
  const name = cardName(card)
  const makeDefault = async () => {
    setBusy(true)
    try {
      await runAction('Payment Method', card.name, 'set_default')
      await onChanged()
      showToast({ title: tCard('list.made_default', { card: name }), variant: 'success' })
    } catch (error) {
      showToast({
        title: tCard('list.default_failed'),
        description: fullMessage(toApiError(error)),
        variant: 'danger',
      })
    } finally {
      setBusy(false)
    }
  }
  return (
    <li data-name={card.name} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <CreditCard size={20} strokeWidth={1.75} aria-hidden="true" className="flex-none text-muted" />
      <div className="min-w-0 flex-1 basis-52">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          {name} {card.is_default === 1 ? <Tag tone="brand">{tCard('list.default')}</Tag> : null}
        </p>
        <Expiry card={card} />
      </div>
      <div className="flex flex-wrap gap-2 max-md:basis-full">
        {card.is_default === 1 ? null : (
          <Button
            size="md"
            busy={busy}
            aria-label={tCard('list.make_default_of', { card: name })}
            onClick={() => void makeDefault()}
          >
            {tCard('list.make_default')}
          </Button>
        )}
        <Button size="md" aria-label={tCard('list.remove_of', { card: name })} onClick={onRemove}>
          {tCard('list.remove')}
        </Button>
      </div>
    </li>
  )
}

/** When a card expires; a warning in the last 30 days and afterward. */
function Expiry({ card }: { card: Card }) {
  const now = useNow(3_600_000)
  const { exp_month, exp_year } = card
  if (!exp_month || !exp_year) return null
  const date = { month: String(exp_month).padStart(2, '0'), year: String(exp_year) }
  const state = cardExpiry({ exp_month, exp_year }, now)
  if (state === 'ok') return <p className="text-table text-muted">{tCard('list.expires', date)}</p>
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-2 text-table text-muted">
      <StatusPill tone={state === 'expired' ? 'bad' : 'warn'} inset>
        {tCard(state === 'expired' ? 'list.expired' : 'list.expires_soon', date)}
      </StatusPill>
      {card.is_default === 1 ? tCard('list.expiry_hint') : null}
    </p>
  )
}

function RemoveDialog({
  card,
  provider,
  onClose,
  onRemoved,
}: {
  card: Card
  provider: PaymentProvider
  onClose: () => void
  onRemoved: () => Promise<void>
}) {
  const { failure, attempt } = useAttempt()
  const name = cardName(card)
  return (
    <AlertDialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={tCard('remove.title', { card: name })}
      confirmLabel={tCard('list.remove')}
      error={failure}
      onConfirm={() =>
        attempt(async () => {
          await runAction('Payment Method', card.name, 'remove')
          await onRemoved()
          onClose()
          showToast({ title: tCard('remove.done', { card: name }), variant: 'success' })
        })
      }
    >
      <p>{tCard('remove.text', { provider: providerLabel(provider) })}</p>
      {card.is_default === 1 ? <p className="mt-2">{tCard('remove.text_default')}</p> : null}
    </AlertDialog>
  )
}
