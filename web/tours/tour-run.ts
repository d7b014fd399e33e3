import { driver, type DriveStep } from 'driver.js'
import { keepTour, type TourWish } from '#web/lib/session/tour-list.ts'
import { t } from './messages.ts'
import type { TourStep } from './tour-steps.ts'

/** After a change of the path the tour waits this long before it looks for its target (docs/contracts/screens.md, section 9). */
const routeDelayMs = 25
/** How long a target may take to appear before its step is skipped. */
const targetLimitMs = 5000

function visible(element: Element): boolean {
  return element.getClientRects().length > 0
}

/** The first match that is drawn; null for none. */
function findTarget(selector: string): Element | null {
  return [...document.querySelectorAll(selector)].find(visible) ?? null
}

/** Waits until `look` finds something in the page; null when it does not in time or the wait is called off. */
function awaitInPage<T>(look: () => T | null, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve) => {
    const done = (found: T | null): void => {
      observer.disconnect()
      clearTimeout(limit)
      resolve(found)
    }
    const again = (): void => {
      const found = look()
      if (found !== null) done(found)
    }
    const observer = new MutationObserver(again)
    const limit = setTimeout(() => done(look()), targetLimitMs)
    signal.addEventListener('abort', () => done(null))
    observer.observe(document.body, { childList: true, subtree: true, attributes: true })
    again()
  })
}

/** True once no dialog is open or closing: one that closes gives the focus back, which the tour would lose. */
function noDialog(): true | null {
  return document.querySelector('[role=dialog][data-state]:not([aria-haspopup])') === null || null
}

/** Texts go in as HTML. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
}

/** What has the focus outside the tour's card; null when nothing has it there. */
export function focusBeside(): HTMLElement | null {
  const focused = document.activeElement
  if (!(focused instanceof HTMLElement) || focused === document.body) return null
  return focused.closest('.driver-popover') === null ? focused : null
}

/** A tour that is on the screen. */
export interface RunningTour {
  end: () => void
  /** Takes it off the screen without ending it; returns the step it stood at. */
  hold: () => number
}

/**
 * Shows a tour from its step on; `all` are its steps. `go` changes the path and resolves when that page is
 * drawn; `onEnd` is called once, however it ends, and told whether that was after the last step; `focus` keeps the
 * focus beside the first card. The page stays usable meanwhile: who goes somewhere else has ended the tour.
 */
export function runTour(
  tour: TourWish,
  all: readonly TourStep[],
  {
    go,
    onEnd,
    focus,
  }: { go: (path: string) => Promise<void>; onEnd: (finished: boolean) => void; focus?: HTMLElement | null },
): RunningTour {
  // What is part of the shell is drawn already, or not at all in this width.
  const steps = all.filter((step) => step.path !== undefined || findTarget(step.target) !== null)
  /** Steps whose target did not appear: they are not counted. */
  const gone = new Set<number>()
  const stopped = new AbortController()
  let at = tour.step
  /** Whether no card was drawn so far. */
  let first = true

  const stop = (): void => {
    stopped.abort()
    guide.destroy()
  }

  const finish = (finished: boolean): void => {
    if (stopped.signal.aborted) return
    stop()
    keepTour(null)
    onEnd(finished)
  }
  const end = (): void => finish(false)

  const show = async (index: number, direction: 1 | -1): Promise<void> => {
    const step = steps[index]
    // Before the first one there is nothing to go back to, which is no Finish.
    if (!step) return finish(direction === 1)
    at = all.indexOf(step)
    keepTour({ ...tour, step: at })
    // The page before may hold such a target, too, and the next one takes the focus when it comes.
    await goOnce(step.path)
    await awaitInPage(noDialog, stopped.signal)
    // Also a dialog that is gone gives the focus back a moment later.
    await new Promise((resolve) => setTimeout(resolve, routeDelayMs))
    const target = await awaitInPage(() => findTarget(step.target), stopped.signal)
    if (stopped.signal.aborted) return
    if (!target) {
      gone.add(index)
      return show(index + direction, direction)
    }
    gone.delete(index)
    const card = cards[index]?.popover
    if (card) card.progressText = progress(index)
    if (guide.isActive()) guide.moveTo(index)
    else guide.drive(index)
    // The library calls whatever it lights the opener of a dialog: a group of things is none.
    if (!target.matches('a, button, [role]'))
      for (const name of ['aria-haspopup', 'aria-expanded', 'aria-controls']) target.removeAttribute(name)
    // The library begins with the button that ends it all.
    const next = document.querySelector<HTMLElement>('.driver-popover-next-btn')
    const stays = first && focus?.isConnected ? focus : next
    first = false
    stays?.focus()
  }

  const goOnce = async (path: string | undefined): Promise<void> => {
    if (path !== undefined && !location.href.endsWith(`/web${path}`)) await go(path)
  }

  /** "2 of 5", of the steps there are. */
  const progress = (index: number): string => {
    const there = [...steps.keys()].filter((at) => !gone.has(at))
    return escaped(t('tour.progress', { step: there.indexOf(index) + 1, steps: there.length }))
  }

  const described = (step: TourStep, index: number): DriveStep => ({
    element: () => findTarget(step.target) ?? document.body,
    popover: {
      title: escaped(step.title),
      description: escaped(step.text),
      showButtons: index > 0 ? ['previous', 'next', 'close'] : ['next', 'close'],
      // Beside the menu, so that its other entries stay free.
      ...(findTarget(step.target)?.closest('aside') && { side: 'right', align: 'start' }),
      onNextClick: () => void (step.opensForm ? goOnce(step.form) : show(index + 1, 1)),
      onPrevClick: () => void show(index - 1, -1),
      onPopoverRender: ({ closeButton }) => closeButton.setAttribute('aria-label', t('tour.close')),
    },
  })

  const cards = steps.map(described)
  const guide = driver({
    steps: cards,
    animate: false,
    showProgress: true,
    prevBtnText: escaped(t('tour.previous')),
    nextBtnText: escaped(t('tour.next')),
    doneBtnText: escaped(t('tour.finish')),
    overlayClickBehavior: () => undefined,
    overlayOpacity: 0.25,
    stagePadding: 4,
    stageRadius: 8,
    onDestroyStarted: end,
  })

  // The library ends it when Escape is let go: not for one that was pressed before, to close what was open until now.
  let escaping = false
  const onEscape = (listen: (event: KeyboardEvent) => void) => (event: KeyboardEvent) => {
    if (event.key === 'Escape') listen(event)
  }
  const early = { capture: true, signal: stopped.signal }
  window.addEventListener(
    'keydown',
    onEscape(() => (escaping = guide.isActive())),
    early,
  )
  window.addEventListener(
    'keyup',
    onEscape((event) => {
      if (!escaping) event.stopPropagation()
    }),
    early,
  )

  const begin = all.slice(tour.step).find((step) => steps.includes(step))
  void show(begin ? steps.indexOf(begin) : 0, 1)
  return {
    end,
    hold() {
      stop()
      return at
    },
  }
}
