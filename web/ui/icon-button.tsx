import { cx } from '#web/lib/browser/cx.ts'
import type { ComponentProps } from 'react'

/** A square icon button. `label` is its accessible name. */
export function IconButton({
  label,
  size = 'lg',
  className,
  type = 'button',
  ...props
}: Omit<ComponentProps<'button'>, 'aria-label'> & { label: string; size?: 'sm' | 'md' | 'lg' }) {
  return (
    <button
      {...props}
      type={type}
      aria-label={label}
      className={cx(
        'grid shrink-0 place-items-center rounded-ctl text-muted transition-colors duration-[120ms]',
        'not-disabled:hover:bg-hover not-disabled:hover:text-fg disabled:cursor-not-allowed disabled:opacity-50 data-[state=open]:bg-hover data-[state=open]:text-fg',
        { sm: 'size-6 touch:size-8', md: 'size-7 touch:size-9', lg: 'size-9 max-md:size-11' }[size],
        className,
      )}
    />
  )
}
