import { useEffect, useId, useRef, useState, type ComponentProps, type KeyboardEvent, type ReactNode } from 'react'
import { findText } from '#shared/rules/fold-text.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { useFieldProps } from './field.tsx'

/** A suggestion. */
export interface Suggestion {
  id: string
  label: string
  icon?: ReactNode
  /** At the end of the line; the reason if it is disabled. */
  detail?: string | undefined
  disabled?: boolean
}

/** Highlights the typed part of a suggestion. */
function Marked({ text, typed }: { text: string; typed: string }) {
  const found = findText(text, typed)
  if (!found) return text
  return (
    <>
      {text.slice(0, found.start)}
      <b className="font-semibold text-fg">{text.slice(found.start, found.end)}</b>
      {text.slice(found.end)}
    </>
  )
}

/**
 * Text input with suggestions (APG combobox with listbox): arrows move, Enter selects, Escape closes the list first. The
 * caller provides the suggestions. `unstyled` leaves the surrounding box to the caller too (chips).
 */
export function SuggestInput({
  value,
  onValue,
  suggestions,
  onPick,
  onKey,
  status,
  listLabel,
  unstyled = false,
  listClassName,
  className,
  ...props
}: {
  value: string
  onValue: (value: string) => void
  suggestions: readonly Suggestion[]
  onPick: (suggestion: Suggestion) => void
  /** Handles keys that the list doesn't use; `preventDefault` keeps them from the input. */
  onKey?: (event: KeyboardEvent<HTMLInputElement>) => void
  /** Why there are no suggestions; shown in their place. */
  status?: string | null
  listLabel: string
  unstyled?: boolean
  /** Positions the list, e.g. below an error text. */
  listClassName?: string | undefined
} & Omit<ComponentProps<'input'>, 'ref' | 'value' | 'onChange' | 'onKeyDown'>) {
  const field = useFieldProps()
  const listId = useId()
  const box = useRef<HTMLInputElement>(null)
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const usable = suggestions.filter((suggestion) => !suggestion.disabled)
  const shown = open && (suggestions.length > 0 || Boolean(status))
  const current = shown ? usable[active] : undefined
  const optionId = (suggestion: Suggestion) => `${listId}-${suggestions.indexOf(suggestion)}`

  const pick = (suggestion: Suggestion) => {
    setActive(-1)
    setOpen(false)
    onPick(suggestion)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      setOpen(true)
      const step = event.key === 'ArrowDown' ? 1 : -1
      const from = active < 0 && step < 0 ? 0 : active
      if (usable.length > 0) setActive((from + step + usable.length) % usable.length)
      return
    }
    if (event.key === 'Enter' && current) {
      event.preventDefault()
      pick(current)
      return
    }
    onKey?.(event)
  }
  useEffect(() => {
    if (!shown) return
    // Runs before surrounding dialogs get the key: closes the list, but not the dialog.
    const onEscape = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || document.activeElement !== box.current) return
      event.preventDefault()
      event.stopPropagation()
      setOpen(false)
      setActive(-1)
    }
    addEventListener('keydown', onEscape, true)
    return () => removeEventListener('keydown', onEscape, true)
  }, [shown])

  return (
    <span className={cx('relative block min-w-0', unstyled && 'flex-1 basis-32')}>
      <input
        ref={box}
        {...field}
        {...props}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls={shown ? listId : undefined}
        aria-activedescendant={current ? optionId(current) : undefined}
        value={value}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onKeyDown={onKeyDown}
        onFocus={(event) => {
          setOpen(value.trim() !== '')
          props.onFocus?.(event)
        }}
        onBlur={(event) => {
          setOpen(false)
          setActive(-1)
          props.onBlur?.(event)
        }}
        onChange={(event) => {
          setOpen(true)
          setActive(-1)
          onValue(event.target.value)
        }}
        className={cx(
          unstyled ? 'w-full min-w-0 bg-transparent outline-none' : 'control h-9 w-full min-w-0 px-2.5 max-md:h-11',
          className,
        )}
      />
      {shown ? (
        <span
          className={cx(
            'absolute top-full left-0 z-10 mt-1.5 block w-full min-w-60 rounded-card border border-border bg-raised p-1 shadow-pop',
            listClassName,
          )}
        >
          {suggestions.length > 0 ? (
            <span role="listbox" id={listId} aria-label={listLabel} className="block">
              {suggestions.map((suggestion) => (
                <button
                  type="button"
                  key={suggestion.id}
                  role="option"
                  tabIndex={-1}
                  id={optionId(suggestion)}
                  aria-selected={suggestion === current}
                  aria-disabled={suggestion.disabled || undefined}
                  // Keeps the focus in the input.
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => {
                    if (!suggestion.disabled) pick(suggestion)
                  }}
                  className={cx(
                    'flex w-full min-h-9 flex-wrap items-center gap-x-2.5 rounded-ctl px-2 py-1 text-left text-table text-muted max-md:min-h-11',
                    suggestion === current && 'bg-hover',
                    suggestion.disabled ? 'cursor-default' : 'cursor-pointer hover:bg-hover',
                  )}
                >
                  {suggestion.icon}
                  <span className={cx('min-w-0 wrap-anywhere', !suggestion.disabled && 'text-fg')}>
                    <Marked text={suggestion.label} typed={value} />
                  </span>
                  {suggestion.detail ? <span className="ml-auto">{suggestion.detail}</span> : null}
                </button>
              ))}
            </span>
          ) : (
            <span role="status" className="block px-2 py-1.5 text-table text-muted">
              {status}
            </span>
          )}
        </span>
      ) : null}
    </span>
  )
}
