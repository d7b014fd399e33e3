import { Search } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { useDebounced } from '#web/lib/api/debounce.ts'

/**
 * Search input of a list: `onChange` is debounced. `text` is the current search; the input follows it if it changes
 * elsewhere ("back"). `label` says what is searched; `className` sets the width.
 */
export function SearchInput({
  label,
  text,
  onChange,
  className,
}: {
  label: string
  text: string
  onChange: (text: string) => void
  className: string
}) {
  const [typed, setTyped] = useState(text)
  const [known, setKnown] = useState(text)
  const settled = useDebounced(typed)
  if (text !== known) {
    setKnown(text)
    setTyped(text)
  }
  const search = useEffectEvent((wanted: string) => {
    // Report only typed text; changes from elsewhere were applied above.
    if (wanted === typed && wanted !== text) onChange(wanted)
  })
  useEffect(() => search(settled), [settled])
  return (
    <label
      className={cx(
        'control flex h-8 items-center gap-2 border-border px-2.5 text-table shadow-xs max-md:h-11 max-md:w-full',
        className,
      )}
    >
      <Search size={14} strokeWidth={1.75} aria-hidden="true" className="flex-none text-muted" />
      <input
        type="search"
        value={typed}
        placeholder={label}
        aria-label={label}
        onChange={(event) => setTyped(event.target.value)}
        className="h-full min-w-0 flex-1 bg-transparent text-ellipsis outline-none [&::-webkit-search-cancel-button]:appearance-none"
      />
    </label>
  )
}
