import { useEffect, useState } from 'react'
import { fetched, whenIdle } from '#web/lib/code.ts'
import { useSecondLine } from '#web/lib/second-line.ts'
import { useToasts } from '#web/lib/toasts.ts'

const ToastPanel = fetched(() => import('./toast-panel.tsx').then((module) => module.ToastPanel))

/**
 * Whether the code of toasts is here. A toast tells that the server is away, so it is fetched as soon as the page stands;
 * a toast that comes earlier waits for it, and after a failure the next one asks again: the tray keeps all of them.
 */
function useCodeHere(shown: number | undefined): boolean {
  const [here, setHere] = useState(() => ToastPanel.here() !== null)
  const turn = useSecondLine()
  useEffect(() => {
    if (here) return
    const fetchIt = (): void =>
      void ToastPanel.load().then(
        () => setHere(true),
        () => undefined,
      )
    if (shown !== undefined) fetchIt()
    else if (turn) return whenIdle(fetchIt)
  }, [here, turn, shown])
  return here
}

/** Draws the toasts, one at a time. */
export function ToastArea() {
  const { current } = useToasts()
  const here = useCodeHere(current?.id)
  // Nothing is read out from here. Modal dialogs hide all of the page but what has this attribute: a toast stays in reach.
  return <div aria-live="off">{here && current && <ToastPanel toast={current} />}</div>
}
