import { Search } from 'lucide-react'
import * as Radix from 'radix-ui/dialog'
import { memo, useDeferredValue, useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { takeTyped, type SearchMode } from '#web/lib/browser/typed-ahead.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Kbd, modifierKey } from '#web/ui/kbd.tsx'
import type { AppHandlers } from './app-commands.tsx'
import { isSameText } from './command.ts'
import type { ActionHandlers } from './document-actions.tsx'
import { tSearch } from './messages.ts'
import type { Option } from './option.ts'
import { OptionLine } from './option-line.tsx'
import { useGroups } from './use-groups.tsx'

function Panel({
  mode,
  handlers,
  onChoose,
}: {
  /** One that closes is not drawn again. */
  isOpen: boolean
  mode: SearchMode
  handlers: ActionHandlers & AppHandlers
  /** Called with the chosen option. Options with `newTab` are opened by the link itself. */
  onChoose: (option: Option) => void
}) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const [shownMode, setShownMode] = useState(mode)
  if (shownMode !== mode) {
    setShownMode(mode)
    setChosen(null)
  }
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  // The field comes first: what is typed doesn't wait for the list.
  const searched = useDeferredValue(text)
  const isListed = useDeferredValue(true, false)
  const { groups, term, exact, state: foundState } = useGroups(isListed ? searched : null, mode, handlers)
  const state = searched === text ? foundState : 'waiting'
  const options = groups.flatMap((group) => group.options)
  const active = options.find(({ id }) => id === chosen) ?? options.find(({ id }) => id === exact) ?? options[0]
  const optionId = (option: Option): string => `${listId}-${option.id}`
  const activeId = active && optionId(active)

  // Enter pressed before results arrive applies to them.
  const [choosePending, setChoosePending] = useState(false)
  const choosesNow = choosePending && state === 'ready'
  useEffect(() => {
    if (!choosesNow) return
    setChoosePending(false)
    if (activeId) document.getElementById(activeId)?.click()
  }, [choosesNow, activeId])

  const move = (step: 1 | -1): void => {
    const next = active && options.at((options.indexOf(active) + step) % options.length)
    if (!next) return
    setChosen(next.id)
    // With its heading, if it is the first.
    if (next === options[0]) list.current?.scrollTo({ top: 0 })
    else document.getElementById(optionId(next))?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (['ArrowDown', 'ArrowUp'].includes(event.key) && !event.altKey && !event.metaKey) {
      event.preventDefault()
      move(event.key === 'ArrowDown' ? 1 : -1)
    }
    if (event.key !== 'Enter') return
    event.preventDefault()
    // The visible results may belong to the previous text. Pages and commands don't, but an arriving document may be what
    // was meant, so only the chosen or the completely typed one opens at once.
    const isLocal = active !== undefined && /^(?:page|command)-/.test(active.id)
    if (active && (state === 'ready' || (isLocal && (active.id === chosen || isSameText(active.title, text)))))
      document.getElementById(optionId(active))?.click()
    else setChoosePending(state !== 'ready')
  }

  const status = !isListed
    ? null
    : state === 'waiting'
      ? tSearch('searching')
      : state === 'loading'
        ? tSearch('loading')
        : options.length === 0
          ? tSearch('none')
          : null
  const counted = tSearch('results', { count: options.length })
  return (
    <div
      role="presentation"
      className="flex min-h-0 flex-1 flex-col"
      // Keeps the focus in the field.
      onMouseDown={(event) => {
        if (event.target instanceof Element && !event.target.closest('input, a, button')) event.preventDefault()
      }}
    >
      <div className="flex h-14 shrink-0 items-center gap-3 border-b border-border px-4">
        <Search size={18} strokeWidth={1.75} className="shrink-0 text-muted" aria-hidden="true" />
        <input
          role="combobox"
          aria-label={tSearch('title')}
          aria-autocomplete="list"
          aria-expanded={options.length > 0}
          aria-controls={listId}
          aria-activedescendant={activeId}
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          autoCapitalize="off"
          enterKeyHint="go"
          placeholder={tSearch(mode === 'actions' ? 'hint_actions' : 'hint')}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setChosen(null)
            setChoosePending(false)
            list.current?.scrollTo({ top: 0 })
          }}
          onKeyDown={onKeyDown}
          // What was typed until now.
          onFocus={() => {
            const typed = takeTyped()
            if (typed.text === '') return
            setText(typed.text)
            setChoosePending(typed.enter)
          }}
          className="h-full min-w-0 flex-1 bg-transparent text-lead outline-none"
        />
        {text.trim() !== '' && state === 'ready' && options.length > 0 && (
          <span className="shrink-0 text-meta text-muted max-md:hidden">{counted}</span>
        )}
        <Kbd className="max-md:hidden">Esc</Kbd>
        <Radix.Close className="h-11 shrink-0 rounded-ctl px-2 font-medium text-brand-text md:hidden">
          {tSearch('cancel')}
        </Radix.Close>
      </div>
      <div
        ref={list}
        id={listId}
        role="listbox"
        tabIndex={-1}
        aria-label={tSearch('title')}
        className={cx('min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pt-1', groups.length === 0 && 'hidden')}
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
                isActive={option === active}
                onPoint={setChosen}
                onChoose={onChoose}
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
          {tSearch('keys_move')}
        </span>
        <span className="flex items-center gap-1.5">
          <Kbd>Enter</Kbd>
          {tSearch('keys_open')}
        </span>
        <span className="ml-auto flex items-center gap-1.5">
          <Kbd>{modifierKey}</Kbd>
          <Kbd>K</Kbd>
          {tSearch(mode === 'actions' ? 'keys_results' : 'keys_actions')}
        </span>
      </div>
    </div>
  )
}

/**
 * Input and results (APG combobox with listbox): the focus stays in the input, arrows move, Enter selects. The dialog handles Esc and
 * outside clicks. The first result, or the document whose whole name was typed, is selected until the user selects another, also
 * while results arrive.
 */
export const SearchPanel = memo(Panel, (_before, { isOpen }) => !isOpen)
