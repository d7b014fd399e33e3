import { memo, type MouseEvent } from 'react'
import { useHref } from 'react-router'
import { highlightMatches } from './command.ts'
import type { Option } from './option.ts'

function Line({
  id,
  option,
  term,
  isActive,
  onPoint,
  onChoose,
}: {
  id: string
  option: Option
  /** Term to highlight in the title. */
  term: string
  isActive: boolean
  /** The pointer moves on it. */
  onPoint: (id: string) => void
  onChoose: (option: Option) => void
}) {
  const inApp = useHref(option.newTab ? '' : (option.href ?? ''))
  const content = (
    <>
      <span className="grid size-7 shrink-0 place-items-center text-muted">{option.icon}</span>
      <span className="min-w-0 flex-1 truncate">
        <span className="font-medium">
          {highlightMatches(option.title, term).map((part, index) =>
            part.hit ? (
              <mark key={index} className="bg-transparent text-brand-text">
                {part.text}
              </mark>
            ) : (
              part.text
            ),
          )}
        </span>
        {option.detail && <span className="ml-2 text-table text-muted">{option.detail}</span>}
      </span>
      {option.aside && <span className="shrink-0">{option.aside}</span>}
    </>
  )
  const props = {
    id,
    role: 'option',
    'aria-selected': isActive,
    tabIndex: -1,
    onPointerMove: () => onPoint(option.id),
    className: 'flex h-11 w-full items-center gap-3 rounded-card px-2.5 text-left aria-selected:bg-hover max-md:h-12',
  }
  const choose = () => onChoose(option)
  if (option.href === undefined)
    return (
      <button {...props} type="button" onClick={choose}>
        {content}
      </button>
    )
  if (option.newTab)
    return (
      <a {...props} href={option.href} target="_blank" rel="noopener" onClick={choose}>
        {content}
      </a>
    )
  return (
    <a
      {...props}
      href={inApp}
      onClick={(event: MouseEvent) => {
        // With a modifier key, the browser opens a tab or window.
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        choose()
      }}
    >
      {content}
    </a>
  )
}

/** A search result: a real link if it has a target, so that middle-click and "copy link" work. */
export const OptionLine = memo(Line)
