import { driver, type DriveStep } from 'driver.js'
import { saveTour, type TourRequest } from '#web/lib/session/tour-list.ts'
import { t } from './messages.ts'
import type { TourStep } from './tour-steps.ts'

/** Delay between a path change and looking for the target (docs/contracts/screens.md, section 9). */
const routeDelayMs = 25
/** Timeout after which a step is shown without its target, which is not there although it was expected. */
const targetLimitMs = 5000

/** Marks the current target, which has a ring (`tour.css`). */
const ringAttribute = 'data-tour-target'

function visible(element: Element): boolean {
  return element.getClientRects().length > 0
}

/** The first visible match; null for none. */
function findTarget(selector: string): Element | null {
  return [...document.querySelectorAll(selector)].find(visible) ?? null
}

/** Waits until `look` finds something in the page; null after a timeout or abort. */
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

/** True once no dialog is open or closing. A closing dialog returns the focus, which would take it from the tour. */
function hasNoDialog(): true | null {
  return document.querySelector('[role=dialog][data-state]:not([aria-haspopup])') === null || null
}

/** The library inserts texts as HTML. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
}

/** The focused element outside the tour's popover; null if there is none. */
function focusBeside(): HTMLElement | null {
  const focused = document.activeElement
  if (!(focused instanceof HTMLElement) || focused === document.body) return null
  return focused.closest('.driver-popover') === null ? focused : null
}

/** A tour on screen. */
export interface RunningTour {
  end: () => void
  /** Hides the tour without ending it; returns its current step. */
  hold: () => number
  /** Focused element outside the popover, which keeps the focus when the tour is shown again; null if there is none. */
  focusBeside: () => HTMLElement | null
}

/**
 * Shows a tour from its current step; `all` are its steps. `go` navigates and resolves when the page is rendered. `onEnd` is
 * called once, with whether the tour was finished. `focus` is an element that keeps the focus when the first popover opens.
 * The page stays usable; navigating elsewhere ends the tour.
 */
export function runTour(
  tour: TourRequest,
  all: readonly TourStep[],
  {
    go,
    onEnd,
    focus,
  }: { go: (path: string) => Promise<void>; onEnd: (finished: boolean) => void; focus?: HTMLElement | null },
): RunningTour {
  // Targets in the shell are either already rendered or not available at this width.
  const steps = all.filter((step) => step.path !== undefined || findTarget(step.target) !== null)
  const stopped = new AbortController()
  let at = tour.step
  /** The element with the ring. */
  let ringed: Element | null = null
  /** Whether no popover has been shown yet. */
  let first = true

  // Not the library's class: React writes the classes of an element anew when they change, e.g. of a tab that is selected.
  const ring = (target: Element | null): void => {
    ringed?.removeAttribute(ringAttribute)
    target?.setAttribute(ringAttribute, '')
    ringed = target
  }

  const stop = (): void => {
    stopped.abort()
    ring(null)
    guide.destroy()
  }

  const finish = (finished: boolean): void => {
    if (stopped.signal.aborted) return
    stop()
    saveTour(null)
    onEnd(finished)
  }
  const end = (): void => finish(false)

  const show = async (index: number): Promise<void> => {
    const step = steps[index]
    const card = cards[index]
    // Going back from the first step ends the tour without finishing it.
    if (!step || !card) return finish(index > 0)
    at = all.indexOf(step)
    saveTour({ ...tour, step: at })
    // The previous page may have the same target, and the next page takes the focus when it renders.
    await goOnce(step.path)
    await awaitInPage(hasNoDialog, stopped.signal)
    // A removed dialog also returns the focus a moment later.
    await new Promise((resolve) => setTimeout(resolve, routeDelayMs))
    const target = await awaitInPage(() => findTarget(step.target), stopped.signal)
    if (stopped.signal.aborted) return
    // Without an element the library puts the popover in the middle of the page.
    if (target) card.element = () => findTarget(step.target) ?? target
    else delete card.element
    if (guide.isActive()) guide.moveTo(index)
    else guide.drive(index)
    ring(target)
    // The library marks the target as the opener of a dialog, which is wrong for a group of elements.
    if (target?.matches('a, button, [role]') === false)
      for (const name of ['aria-haspopup', 'aria-expanded', 'aria-controls']) target.removeAttribute(name)
    // The library focuses the close button first.
    const next = document.querySelector<HTMLElement>('.driver-popover-next-btn')
    const stays = first && focus?.isConnected ? focus : next
    first = false
    stays?.focus()
  }

  const goOnce = async (path: string | undefined): Promise<void> => {
    if (path !== undefined && !location.href.endsWith(`/web${path}`)) await go(path)
  }

  const described = (step: TourStep, index: number): DriveStep => ({
    popover: {
      progressText: escaped(t('tour.progress', { step: index + 1, steps: steps.length })),
      title: escaped(step.title),
      description: escaped(step.text),
      showButtons: index > 0 ? ['previous', 'next', 'close'] : ['next', 'close'],
      // Next to the menu, so that its other entries stay accessible.
      ...(findTarget(step.target)?.closest('aside') && { side: 'right', align: 'start' }),
      onNextClick: () => void (step.opensForm ? goOnce(step.form) : show(index + 1)),
      onPrevClick: () => void show(index - 1),
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

  // The library ends the tour on Escape keyup. Ignore one whose keydown closed something else.
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
  void show(begin ? steps.indexOf(begin) : 0)
  return {
    end,
    hold() {
      stop()
      return at
    },
    // Before the first popover is shown, the page has the focus that the library returned to it, not one the user chose.
    focusBeside: () => (first ? (focus ?? null) : focusBeside()),
  }
}
