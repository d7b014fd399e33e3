import * as Radix from 'radix-ui/switch'
import { useState } from 'react'

/** A toggle that takes effect immediately. The label comes first. */
export function Switch({
  label,
  checked,
  onChange,
  disabled = false,
  busy = false,
  hideLabel = false,
}: {
  label: string
  /** The label is already visible next to it. */
  hideLabel?: boolean
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
  /** What was asked for is under way: it is shown, dimmed. */
  busy?: boolean
}) {
  const [asked, setAsked] = useState(checked)
  return (
    <Radix.Root
      checked={busy ? asked : checked}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      onCheckedChange={(to) => {
        setAsked(to)
        onChange(to)
      }}
      className="inline-flex h-7 items-center gap-2 rounded-xs px-1.5 text-meta disabled:opacity-60 touch:h-11"
    >
      {hideLabel ? <span className="sr-only">{label}</span> : label}
      <span
        aria-hidden="true"
        className="relative h-4 w-7 flex-none rounded-full bg-input transition-colors duration-100 in-data-[state=checked]:bg-brand"
      >
        <Radix.Thumb className="absolute top-0.5 left-0.5 size-3 rounded-full bg-[oklch(1_0_0)] transition-transform duration-100 data-[state=checked]:translate-x-3" />
      </span>
    </Radix.Root>
  )
}
