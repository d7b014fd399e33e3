import { useId, type ComponentProps, type ReactNode } from 'react'

/** A radio button of a group (`name`) with its label, like a `Checkbox`. The whole line is clickable. */
export function Radio({ label, ...props }: Omit<ComponentProps<'input'>, 'type' | 'id'> & { label: ReactNode }) {
  const id = useId()
  return (
    <div className="flex items-start gap-2.5">
      <span className="grid h-5 shrink-0 place-items-center">
        <input
          {...props}
          id={id}
          type="radio"
          className="size-4 appearance-none rounded-full border border-input bg-surface checked:border-[5px] checked:border-brand checked:bg-on-brand"
        />
      </span>
      <label htmlFor={id} className="min-w-0 text-table leading-5">
        {label}
      </label>
    </div>
  )
}
