import { cx } from '#web/lib/browser/cx.ts'
import type { ComponentProps, ReactNode } from 'react'
import { useFieldProps } from './field.tsx'

/**
 * Single-line text input. `prefix` and `suffix` are fixed texts inside the box (e.g. `.localhost:8080`); with `suffixFollows`
 * the suffix stands directly behind the text, where the browser can size an input by its content.
 */
export function Input({
  prefix,
  suffix,
  suffixFollows = false,
  className,
  large = false,
  ...props
}: Omit<ComponentProps<'input'>, 'prefix'> & {
  prefix?: ReactNode
  suffix?: ReactNode
  suffixFollows?: boolean
  large?: boolean
}) {
  const field = useFieldProps()
  const height = large ? 'h-10 max-md:h-11' : 'h-9 max-md:h-11'
  if (prefix === undefined && suffix === undefined) {
    return <input {...field} {...props} className={cx('control w-full min-w-0 px-2.5', height, className)} />
  }
  return (
    <span
      className={cx(
        'control flex w-full min-w-0 cursor-text items-center px-2.5',
        suffixFollows ? 'gap-px' : 'gap-2',
        height,
        className,
      )}
      onPointerDown={(event) => {
        const input = event.currentTarget.querySelector('input')
        if (!input || event.target === input) return
        event.preventDefault()
        input.focus()
      }}
    >
      {prefix !== undefined && <span className="shrink-0 text-muted">{prefix}</span>}
      <input
        {...field}
        {...props}
        className={cx(
          'h-full w-full min-w-0 flex-1 bg-transparent outline-none',
          suffixFollows &&
            'supports-[field-sizing:content]:field-sizing-content supports-[field-sizing:content]:w-auto supports-[field-sizing:content]:flex-initial',
        )}
      />
      {suffix !== undefined && <span className="shrink-0 text-muted">{suffix}</span>}
    </span>
  )
}

/** Multi-line text input. */
export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  const field = useFieldProps()
  return <textarea rows={4} {...field} {...props} className={cx('control w-full min-w-0 px-2.5 py-2', className)} />
}
