import { useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { useTheme } from '#web/lib/browser/theme.ts'
import { ErrorIcon } from '#web/ui/form/field.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { tCard } from './messages.ts'
import type { CardElement, CardStyle, PaymentScript } from './provider-script.ts'

/** The card field once it is on screen, and whether something was entered. */
export interface EnteredCard {
  readonly element: CardElement
  readonly isEmpty: boolean
}

/** Colors of the page for the provider's frame, which inherits none. */
function styleOf(box: HTMLElement): CardStyle {
  const { color, fontFamily } = getComputedStyle(box)
  const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
  return {
    base: { color, fontFamily, fontSize: '14px', iconColor: color, '::placeholder': { color: token('--muted') } },
    invalid: { color: token('--bad'), iconColor: token('--bad') },
  }
}

/** Field for card details, a frame of the payment provider; a skeleton until its script is loaded. */
export function CardField({
  script,
  hint,
  onCard,
}: {
  script: PaymentScript | null
  hint: string
  onCard: (card: EnteredCard | null) => void
}) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const mounted = useRef<CardElement | null>(null)
  const [isReady, setReady] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const report = useEffectEvent(onCard)
  useEffect(() => {
    if (!script || !box.current) return
    const element = script.elements().create('card', { hidePostalCode: true, style: styleOf(box.current) })
    element.on('ready', () => setReady(true))
    element.on('change', ({ empty, error: refusal }) => {
      setProblem(refusal?.message ?? null)
      report({ element, isEmpty: empty })
    })
    element.mount(box.current)
    mounted.current = element
    report({ element, isEmpty: true })
    return () => {
      mounted.current = null
      element.destroy()
    }
  }, [script])
  const { dark } = useTheme()
  useEffect(() => {
    if (box.current) mounted.current?.update({ style: styleOf(box.current) })
  }, [dark])

  return (
    <div
      role="group"
      aria-labelledby={id}
      aria-describedby={`${id}-note`}
      className="grid grid-cols-1 content-start gap-1.5"
    >
      {/* No label: the control is in another document. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <span id={id} className="text-table font-medium" onClick={() => mounted.current?.focus()}>
        {tCard('add.card')}
      </span>
      <div
        className={cx(
          'control relative flex h-9 w-full items-center px-2.5 max-md:h-11',
          problem !== null && 'border-m-bad',
        )}
      >
        <div ref={box} className={cx('w-full min-w-0', !isReady && 'opacity-0')} />
        {isReady ? null : (
          <span className="absolute inset-0 flex items-center px-2.5">
            <Skeleton className="h-4 w-40" />
            <span role="status" className="sr-only">
              {tCard('add.loading')}
            </span>
          </span>
        )}
      </div>
      {problem === null ? (
        <p id={`${id}-note`} className="text-meta text-muted">
          {hint}
        </p>
      ) : (
        <p id={`${id}-note`} role="alert" className="flex items-start gap-1.5 text-meta text-bad">
          <ErrorIcon className="mt-px" />
          <span className="min-w-0">{problem}</span>
        </p>
      )}
    </div>
  )
}
