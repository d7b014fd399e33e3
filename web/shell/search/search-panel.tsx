import { Search } from 'lucide-react'
import * as Radix from 'radix-ui/dialog'
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Kbd } from '#web/ui/kbd.tsx'
import type { Doing } from './document-actions.tsx'
import { words } from './messages.ts'
import type { Option } from './option.ts'
import { OptionLine } from './option-line.tsx'
import { useGroups, type SearchMode } from './use-groups.tsx'

/**
 * Field and results by the combobox pattern: the focus stays in the field, arrows choose, Enter goes or does. Esc and a
 * press outside are the dialog's.
 */
export function SearchPanel({
  mode,
  doing,
  onChoose,
}: {
  mode: SearchMode
  doing: Doing
  /** An option was chosen. Where it leads to a tab of its own, the link itself opens it. */
  onChoose: (option: Option) => void
}) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [shownMode, setShownMode] = useState(mode)
  if (shownMode !== mode) {
    setShownMode(mode)
    setAt(0)
  }
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const { groups, term, state } = useGroups(text, mode, doing)
  const options = groups.flatMap((group) => group.options)
  const active = options[Math.min(at, options.length - 1)]
  const optionId = (option: Option): string => `${listId}-${option.id}`
  const activeId = active && optionId(active)

  useEffect(() => {
    if (!activeId) return
    list.current?.querySelector(`[id="${CSS.escape(activeId)}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [activeId])

  // Enter before the answer is there is meant for it.
  const [hasty, setHasty] = useState(false)
  const choosesNow = hasty && state === 'ready'
  useEffect(() => {
    if (!choosesNow) return
    setHasty(false)
    if (activeId) document.getElementById(activeId)?.click()
  }, [choosesNow, activeId])

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && options.length > 0) {
      event.preventDefault()
      setAt((Math.min(at, options.length - 1) + step + options.length) % options.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      // What is on screen may still be the answer to the text before; pages follow the typing at once.
      if (active && (state === 'ready' || active.id.startsWith('page-')))
        document.getElementById(optionId(active))?.click()
      else setHasty(state !== 'ready')
    }
  }

  const status =
    state === 'waiting'
      ? words('searching')
      : state === 'loading'
        ? words('loading')
        : options.length === 0
          ? words('none')
          : null
  const counted = words('results', { count: options.length, n: formatNumber(options.length) })
  return (
    <>
      <div className="flex h-14 shrink-0 items-center gap-3 border-b border-border px-4">
        <Search size={18} strokeWidth={1.75} className="shrink-0 text-muted" aria-hidden="true" />
        <input
          role="combobox"
          type="text"
          aria-label={words('title')}
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={listId}
          aria-activedescendant={activeId}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          enterKeyHint="go"
          placeholder={words('hint')}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setAt(0)
            setHasty(false)
          }}
          onKeyDown={onKeyDown}
          className="h-full min-w-0 flex-1 bg-transparent text-lead outline-none"
        />
        {text.trim() !== '' && state === 'ready' && options.length > 0 && (
          <span className="shrink-0 text-meta text-muted max-md:hidden">{counted}</span>
        )}
        <Kbd className="max-md:hidden">Esc</Kbd>
        <Radix.Close className="h-11 shrink-0 rounded-ctl px-2 font-medium text-brand-text md:hidden">
          {words('cancel')}
        </Radix.Close>
      </div>
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label={words('title')}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pt-1 empty:hidden"
      >
        {groups.map((group) => (
          <div key={group.key} role="group" aria-labelledby={`${listId}-${group.key}`}>
            <div className="flex justify-between px-2.5 pt-3 pb-1 text-meta font-medium text-muted">
              <span id={`${listId}-${group.key}`}>{group.label}</span>
              <span aria-hidden="true">{formatNumber(group.options.length)}</span>
            </div>
            {group.options.map((option) => (
              <OptionLine
                key={option.id}
                id={optionId(option)}
                option={option}
                term={group.key === 'recent' ? '' : term}
                active={option === active}
                onPoint={() => setAt(options.indexOf(option))}
                onChoose={() => onChoose(option)}
              />
            ))}
          </div>
        ))}
      </div>
      <p className={status ? 'px-4.5 py-3 text-table text-muted' : 'h-2'}>{status}</p>
      <output className="sr-only">{status ?? counted}</output>
      <div className="flex h-10 shrink-0 items-center gap-4 border-t border-border bg-sunken px-4 text-meta text-muted max-md:hidden">
        <span className="flex items-center gap-1.5">
          <Kbd>↑</Kbd>
          <Kbd>↓</Kbd>
          {words('keys_move')}
        </span>
        <span className="flex items-center gap-1.5">
          <Kbd>↵</Kbd>
          {words('keys_open')}
        </span>
        <span className="ml-auto flex items-center gap-1.5">
          <Kbd>Ctrl</Kbd>
          <Kbd>K</Kbd>
          {words(mode === 'actions' ? 'keys_results' : 'keys_actions')}
        </span>
      </div>
    </>
  )
}
