import { cx } from '#web/lib/browser/cx.ts'
import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { useFieldProps } from './field.tsx'

/** A native select, so that it works everywhere, including phones. */
export function Select({ className, small = false, ...props }: ComponentProps<'select'> & { small?: boolean }) {
  const field = useFieldProps()
  return (
    <span className={cx('relative block min-w-0', className)}>
      <select
        {...field}
        {...props}
        className={cx(
          'control w-full min-w-0 appearance-none truncate pr-8',
          small ? 'h-8 border-border pl-2.5 text-table max-md:h-10' : 'h-9 pl-2.5 max-md:h-11',
        )}
      />
      <ChevronDown
        size={16}
        strokeWidth={1.75}
        className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-muted"
        aria-hidden="true"
      />
    </span>
  )
}
