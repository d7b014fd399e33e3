import { startTransition, useEffect, useEffectEvent, useState } from 'react'
import type { Code } from './code.ts'
import { t } from './messages.ts'
import { missingText, wayOut } from './newer-build.ts'
import { showToast } from './toasts.ts'

/**
 * Calls `open` once all the code it needs is here, so that nothing on screen depends on the network. When some cannot be
 * fetched a toast says so, offering to try again (`retry`, default the same; null for none) or, where only that helps,
 * to reload; resolves to false then.
 */
export async function openWithCode(
  needs: readonly Code<unknown>[],
  open: () => void,
  retry: (() => void) | null = () => void openWithCode(needs, open),
): Promise<boolean> {
  try {
    await Promise.all(needs.map((code) => code.load()))
  } catch (error) {
    // Every failure of `load` is that the code did not come; which of the parts is nobody's business.
    const way = await wayOut(error)
    showToast({
      title: t('code.part_missing'),
      description: t(missingText[way]),
      variant: 'danger',
      ...(way !== 'retry'
        ? { action: { label: t('common.reload'), onClick: () => location.reload() } }
        : retry && { action: { label: t('common.retry'), onClick: retry } }),
    })
    return false
  }
  open()
  return true
}

/**
 * For what a state opens: true from the first time on that it is wanted and its code is here (it stays mounted then, so
 * that it can close with its motion). When the code does not come it is told off again; the toast's Retry asks for it
 * anew. `retry: false` where being told off takes this away, too: the same press asks again then.
 */
export function useOpenWithCode(
  needs: readonly Code<unknown>[],
  wanted: boolean,
  onWantedChange: (wanted: boolean) => void,
  { retry = true }: { retry?: boolean } = {},
): boolean {
  const [ready, setReady] = useState(() => wanted && needs.every((code) => code.here() !== null))
  const open = useEffectEvent(async () => {
    // As a transition: the button stays until the panel can be drawn.
    const show = () => startTransition(() => setReady(true))
    // Also for those who keep it wanted: nothing would ask again for them.
    const again = () =>
      void openWithCode(
        needs,
        () => {
          show()
          onWantedChange(true)
        },
        again,
      )
    if (!(await openWithCode(needs, show, retry ? again : null))) onWantedChange(false)
  })
  useEffect(() => {
    if (wanted && !ready) void open()
  }, [wanted, ready])
  return ready
}
