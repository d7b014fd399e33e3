import { cx } from '#web/lib/browser/cx.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { useOfflineSince } from '#web/lib/api/offline.ts'
import { useId, type ComponentProps } from 'react'
import { Link, type LinkProps } from '#web/lib/routing/router.tsx'
import { Spinner } from './spinner.tsx'

const variants = { primary: 'btn-primary', default: 'btn-default', ghost: 'btn-ghost', danger: 'btn-danger' } as const
const sizes = { sm: 'btn-sm', md: 'btn-md', lg: 'btn-lg', xl: 'btn-xl' } as const

interface ButtonVariant {
  variant?: keyof typeof variants | undefined
  size?: keyof typeof sizes | undefined
  /** Full width. */
  block?: boolean | undefined
}

/** Classes of buttons and of links that look like buttons; styled in `styles/controls.css`. */
export function buttonStyle({ variant = 'default', size = 'lg', block = false }: ButtonVariant): string {
  return cx('btn', variants[variant], sizes[size], block && 'w-full')
}

type ButtonProps = ComponentProps<'button'> & ButtonVariant & { busy?: boolean }

/**
 * A button. While `busy`, it keeps its width and focus, shows a spinner with the label and ignores clicks. Submit buttons
 * are disabled, with the reason, while offline.
 */
export function Button(props: ButtonProps) {
  return props.type === 'submit' ? <SubmitButton {...props} /> : <PlainButton {...props} />
}

function SubmitButton(props: ButtonProps) {
  const offline = useOfflineSince() !== null
  const reason = useId()
  if (!offline || props.disabled) return <PlainButton {...props} />
  return (
    <>
      <PlainButton
        {...props}
        aria-disabled="true"
        aria-describedby={reason}
        // Keeps the input, even if Enter would submit it.
        onClick={(event) => event.preventDefault()}
      />
      {/* As text below the button or its row, readable without hovering. */}
      <span id={reason} className="col-span-full block basis-full! text-meta text-muted in-data-low:text-end">
        {t('common.offline')}
      </span>
    </>
  )
}

function PlainButton({
  variant,
  size,
  block,
  busy = false,
  className,
  children,
  type = 'button',
  onClick,
  ...props
}: ButtonProps) {
  return (
    <button
      {...props}
      type={type}
      className={cx(buttonStyle({ variant, size, block }), className)}
      aria-disabled={busy || props['aria-disabled'] || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {busy && <Spinner className="size-3.5" />}
      {children}
    </button>
  )
}

/** A link styled as a button, for navigation. */
export function ButtonLink({ variant, size, block, className, ...props }: LinkProps & ButtonVariant) {
  return <Link {...props} className={cx(buttonStyle({ variant, size, block }), className)} />
}
