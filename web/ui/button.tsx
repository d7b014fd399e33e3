import { cx } from '#web/lib/cx.ts'
import type { ComponentProps } from 'react'
import { Link, type LinkProps } from 'react-router'
import { Spinner } from './spinner.tsx'

const base =
  'relative inline-flex shrink-0 items-center justify-center gap-2 rounded-ctl border font-medium whitespace-nowrap select-none ' +
  'transition-colors duration-[120ms] disabled:cursor-not-allowed aria-disabled:cursor-not-allowed [&_svg]:shrink-0'

const variants = {
  primary:
    'border-transparent bg-brand text-on-brand shadow-fill not-disabled:hover:bg-brand-hover disabled:opacity-60 aria-disabled:opacity-60',
  default:
    'border-border bg-surface text-fg shadow-xs not-disabled:hover:bg-hover disabled:bg-sunken disabled:text-muted disabled:shadow-none aria-disabled:bg-sunken aria-disabled:text-muted aria-disabled:shadow-none',
  ghost:
    'border-transparent text-fg not-disabled:hover:bg-hover disabled:text-muted aria-disabled:text-muted aria-disabled:hover:bg-transparent',
  danger:
    'border-transparent bg-danger text-on-danger shadow-fill not-disabled:hover:bg-danger-hover disabled:opacity-60 aria-disabled:opacity-60',
} as const

const sizes = {
  sm: 'h-7 px-2.5 text-table max-md:h-9',
  md: 'h-8 px-2.5 text-table max-md:h-10',
  lg: 'h-9 px-3 text-body max-md:h-11',
  xl: 'h-10 px-4 text-body max-md:h-11',
} as const

interface ButtonLook {
  variant?: keyof typeof variants | undefined
  size?: keyof typeof sizes | undefined
  /** As wide as its place. */
  block?: boolean | undefined
}

/** Classes of buttons and of links that look like buttons. */
export function buttonStyle({ variant = 'default', size = 'lg', block = false }: ButtonLook): string {
  return cx(base, variants[variant], sizes[size], block && 'w-full')
}

/** A button. `busy` keeps its width, shows a spinner with the label and ignores clicks while focus stays. */
export function Button({
  variant,
  size,
  block,
  busy = false,
  className,
  children,
  type = 'button',
  onClick,
  ...props
}: ComponentProps<'button'> & ButtonLook & { busy?: boolean }) {
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

/** A link that looks like a button, for going somewhere. */
export function ButtonLink({ variant, size, block, className, ...props }: LinkProps & ButtonLook) {
  return <Link {...props} className={cx(buttonStyle({ variant, size, block }), className)} />
}
